#!/usr/bin/env python3
"""How a page looks, compared with stored pictures (T35).

usage: look.py [--store] FOLDER NAME PAGE [LOOK...]    (PAGE: an HTML file)

Chromium draws the page on a desktop's width (1280 px), on a phone's (400 px),
in the dark and on paper (A4), in grey and a quarter to half as large. Letters
are drawn transparent: they take their place, and what is compared is shapes,
for fonts differ from machine to machine. Cells of 4 x 4 pixels are averaged.
The rows of cells are laid against those of the stored picture as two texts
would be (the cheapest way down both together), so that a line more or less
does not matter. What they differ by is a share of the ink in the stored
picture. Measured (test_browser_report.sh has some of both): other fonts change
at most 34 % (monospaced, on a phone; serif 9 %), a page without bars 39 % and
more, one without columns 68 %, dark or paper forgotten 64 %. On paper there is
more of other ink: serif 9 %, no bars or no columns 23 %.

--store: write the pictures instead. Look at the page yourself first.
"""
import functools
import os
import struct
import subprocess
import sys
import tempfile
import zlib

CELL = 4
MOST = {"desktop": 35, "phone": 35, "dark": 35, "paper": 18}  # per cent of ink
LOOKS = {  # name: width, height, pixels for a pixel, more arguments
    "desktop": (1280, 2400, .25, ()),
    "phone": (400, 3400, .5, ()),
    "dark": (1280, 2400, .25, ("--force-dark-mode",
                               "--blink-settings=preferredColorScheme=0")),
}


BARE = "*{color:transparent!important}</style>"


def chromium(folder, *arguments):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                    "--hide-scrollbars", "--disable-background-networking",
                    "--user-data-dir=" + os.path.join(folder, "profile"),
                    *arguments], check=True, capture_output=True, timeout=180)


# ---- pictures ----------------------------------------------------------------

def unfilter(raw, width, step):
    """Lines of a PNG as bytes."""
    size, before = width * step, bytearray(width * step)
    for at in range(0, len(raw), size + 1):
        kind, line = raw[at], bytearray(raw[at + 1:at + 1 + size])
        if kind == 2 and not any(line):  # as the one before, which most are
            yield before
            continue
        for i in range(size):
            left = line[i - step] if i >= step else 0
            corner = before[i - step] if i >= step else 0
            up = before[i]
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            elif kind == 4:
                p = left + up - corner
                guess = min((abs(p - left), 0, left), (abs(p - up), 1, up),
                            (abs(p - corner), 2, corner))[2]
            else:
                break
            line[i] = (line[i] + guess) & 255
        yield line
        before = line


def read_png(path):
    """Lines of grey values."""
    with open(path, "rb") as file:
        data = file.read()
    width = struct.unpack(">I", data[16:20])[0]
    step = {0: 1, 2: 3, 6: 4}[data[25]]
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    for line in unfilter(zlib.decompress(body), width, step):
        if step == 1:
            yield list(line)
        else:
            yield [sum(line[i:i + 3]) / 3
                   for i in range(0, width * step, step)]


def read_pgm(path):
    with open(path, "rb") as file:
        data = file.read()
    _, width, height, _ = data.split(None, 4)[:4]
    pixels = data[-int(width) * int(height):]
    for y in range(int(height)):
        yield list(pixels[y * int(width):(y + 1) * int(width)])


def write_png(path, rows):
    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))
    raw = b"".join(b"\0" + bytes(row) for row in rows)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
            ">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def cells(lines):
    """Averages of CELL x CELL pixels; empty rows at the end are left out."""
    lines, rows = list(lines), []
    for y in range(0, len(lines) - CELL + 1, CELL):
        part = lines[y:y + CELL]
        rows.append([round(sum(sum(line[x:x + CELL]) for line in part)
                           / CELL ** 2)
                     for x in range(0, len(part[0]) - CELL + 1, CELL)])
    while len(rows) > 1 and rows[-1] == rows[-2]:
        rows.pop()
    return rows


# ---- looks -------------------------------------------------------------------

def draw(page, look, folder):
    width, height, scale, more = LOOKS[look]
    shot = os.path.join(folder, "shot.png")
    chromium(folder, "--window-size=%d,%d" % (width, height),
             "--force-device-scale-factor=%g" % scale, "--screenshot=" + shot,
             *more, "file://" + page)
    return cells(read_png(shot))


def draw_paper(page, folder):
    """The sheets of paper, one below the other."""
    paper = os.path.join(folder, "paper.pdf")
    chromium(folder, "--no-pdf-header-footer", "--print-to-pdf=" + paper,
             "file://" + page)
    subprocess.run(["pdftoppm", "-r", "30", "-gray", paper,
                    os.path.join(folder, "sheet")], check=True)
    rows = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("sheet"):
            rows += cells(read_pgm(os.path.join(folder, name)))
    return rows


@functools.lru_cache(maxsize=None)  # most rows of a page are like others
def row_difference(a, b):
    return sum(abs(x - y) for x, y in zip(a, b)) / len(a)


def difference(ours, stored):
    """On the cheapest way down both pictures, in per cent of the ink."""
    if len(ours[0]) != len(stored[0]):
        return 100.0
    ours, stored = ([tuple(row) for row in rows] for rows in (ours, stored))
    blank = stored[0][:1] * len(stored[0])
    ink = sum(row_difference(row, blank) for row in stored)
    far = float("inf")
    line = [0.0] + [far] * len(stored)
    for a in ours:
        then = [far]
        for j, b in enumerate(stored):
            then.append(row_difference(a, b)
                        + min(line[j], line[j + 1], then[j]))
        line = then
    return 100 * line[-1] / ink


def look_at(page, look):
    """The cells of the page without its letters."""
    with tempfile.TemporaryDirectory() as folder:
        bare = os.path.join(folder, "page.html")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        with open(bare, "w", encoding="utf-8") as file:
            file.write(text.replace("</style>", BARE, 1))
        if look == "paper":
            return draw_paper(bare, folder)
        return draw(bare, look, folder)


def main():
    store = "--store" in sys.argv[1:]
    where, name, page, *looks = [a for a in sys.argv[1:] if a != "--store"]
    bad = 0
    for look in looks or (*LOOKS, "paper"):
        path = os.path.join(where, "%s-%s.png" % (name, look))
        rows = look_at(page, look)
        if store:
            write_png(path, rows)
            continue
        off = difference(rows, list(read_png(path)))
        most = MOST[look]
        print("%s, %s: %.1f %% differs (at most %d)" % (name, look, off, most))
        bad += off > most
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
