#!/usr/bin/env python3
"""The pages for people: short lines, links that lead somewhere, examples that
run.

Every page (*.md and *.1 outside of build/): no line above 120 characters, every link
to a file of the tree or to a heading leads there, nothing points outside of
the tree; a file that is named in `code` exists (pages in docs/history/ may
name what was). Pages that sources name exist too. README.md: at most 120 lines of at most 100 characters.

Examples are run for the pages of EXAMPLES, in order, in one fresh directory a
page, laid out as after `make demo`:

    ```sh          run as one script; any failing line fails the page
    ```console     lines `$ command` (`> ` continues one) and what they print.
                   Digits may differ; a line `...` stands for any lines, and
                   ` ...` at the end of a line for the rest of it.

A block after the line `<!-- not run: why -->` is only shown.

Environment: KITH (the binary), KITH_SOURCE (the source tree). --self-test
stops after showing that violations are caught; --pages NAME... runs these.
"""
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

KITH = os.path.abspath(
    os.environ.get("KITH", "build/release/tools/kith/kith"))
SOURCE = os.path.abspath(os.environ.get(
    "KITH_SOURCE", os.path.join(os.path.dirname(__file__), "..")))

EXAMPLES = ["README.md", "docs/guide.md", "docs/verify.md",
            "docs/report.md"]
MAX_COLUMNS = 120
# page -> (most lines, most columns): a front door is read in two minutes.
SHORT = {"README.md": (120, 100)}
# What programs write: rows of tables and commands stay as long as they are.
WRITTEN = {"bench/RESULTS.md", "bench/FIGURE2.md",
           "bench/papers/CLAIMS.md"}
AS_WRITTEN = re.compile(r"\||    ")

FENCE = re.compile(r"^(\s*)```(\w*)\s*$")
NOT_RUN = re.compile(r"^<!-- not run: \S.* -->$")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+\s+(.*)$")
# A file of ours in `code`: with a folder, or a name by itself.
NAMED = re.compile(r"(?<![\w./*<-])([a-z]\w*(?:/[\w*]+)*/)?"
                   r"([\w*]+\.(?:c|h|py|sh|md|svg))(?![\w/])")
THEIRS = {"sodium.h", "cblas.h", "gmp.h", "mpfr.h", "jansson.h"}
SOURCES = ("src/", "tools/", "include/", "tests/", "bench/", "examples/")
PAGE = re.compile(r"(?<![\w./])((?:[a-z]\w*/)*)(\w+\.md)\b")
# Every folder of src/ has a row `| `name` | job |` in this page, and no other.
MAP = "docs/design.md"
FOLDER = re.compile(r"^\| `(\w+)` \|", re.M)
OUTSIDE = re.compile(r"\.\./shared|shared/(?:spec|data|papers|style)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def pages(root):
    """Paths of all pages, markdown and manual, that belong to the tree."""
    for at, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in
                            ("build", "demo", "node_modules") and
                            (not f.startswith(".") or f == ".github"))
        for name in sorted(names):
            if name.endswith((".md", ".1")):
                yield os.path.relpath(os.path.join(at, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(line, language, lines, not run) of every fenced block."""
    inside, found, before, indent = None, [], "", 0
    for number, line in enumerate(text.split("\n"), 1):
        match = FENCE.match(line)
        if match and inside is None:
            indent = len(match.group(1))
            inside = (number, match.group(2), [], bool(NOT_RUN.match(before)))
        elif match:
            found.append(inside)
            inside = None
        elif inside:
            inside[2].append(line[indent:])
        if line.strip():
            before = line.strip()
    return found


def prose(text):
    """The text with fenced blocks blanked, line numbers kept."""
    out, inside = [], False
    for line in text.split("\n"):
        fence = FENCE.match(line)
        out.append("" if inside or fence else line)
        inside ^= bool(fence)
    return out


def anchors(text):
    """The names that headings get, as GitHub makes them."""
    found = set()
    for line in prose(text):
        match = HEADING.match(line)
        if match:
            words = re.sub(r"[`*]|\[|\]\([^)]*\)", "", match.group(1))
            words = re.sub(r"[^\w\- ]", "", words.strip().lower())
            found.add(words.replace(" ", "-"))
    return found


def link_problem(root, path, target):
    if re.match(r"[a-z]+:", target):
        return None
    file, _, anchor = target.partition("#")
    full = os.path.normpath(os.path.join(os.path.dirname(path), file)) \
        if file else path
    if full.startswith(".."):
        return f"{target} is outside of the tree"
    if not os.path.exists(os.path.join(root, full)):
        return f"{target} leads nowhere"
    if anchor and full.endswith(".md") \
            and anchor not in anchors(read(root, full)):
        return f"{target}: no such heading"
    return None


def files_of(root):
    """Every file of the tree, as a path from its root."""
    for at, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", "demo")
                      and not f.startswith(".")]
        for name in names:
            yield os.path.relpath(os.path.join(at, name), root)


def named_problem(files, folder, name):
    """`dp/session.c`, `session.c`, `tests/unit/test_*.c`: is it there?"""
    wanted = (folder or "") + name
    for prefix in ("", "src/", "tests/", "docs/", "include/"):
        if fnmatch.filter(files, prefix + wanted):
            return None
    if name in THEIRS or not folder and fnmatch.filter(files, "*/" + name):
        return None
    if not folder and re.fullmatch(r"_\w+\.\w+", name):
        return None  # an ending: `test_audit_auto`, `_lloyd`
    return f"`{wanted}` is not there"


def cited_problems(root, files):
    """A page that a source names is a page of the tree."""
    found = []
    for path in files:
        if path.startswith(SOURCES) and path.endswith((".c", ".h")) \
                and "purse" not in path:
            for match in PAGE.finditer(read(root, path)):
                problem = named_problem(files, match.group(1), match.group(2))
                if problem:
                    found.append(f"{path}: {problem}")
    return found


def map_problems(root):
    """The page of the folders lists those that there are."""
    section = read(root, MAP).split("## The folders", 1)[-1].split("\n## ")[0]
    listed, there = set(FOLDER.findall(section)), {
        name for name in os.listdir(os.path.join(root, "src"))
        if os.path.isdir(os.path.join(root, "src", name))}
    return ([f"{MAP}: there is no src/{name}" for name in listed - there]
            + [f"{MAP}: src/{name} is not listed" for name in there - listed])


# What was, and what a user calls files of her own.
PAST = re.compile(r"docs/history/|CHANGELOG|bench/RESULTS")


def check_page(root, path, files=()):
    """Problems of form: lines, links, names of files."""
    found, text = [], read(root, path)
    lines = text.rstrip("\n").split("\n")
    most, columns = SHORT.get(path, (None, MAX_COLUMNS))
    if most and len(lines) > most:
        found.append(f"{path}: {len(lines)} lines, more than {most}")
    for number, line in enumerate(lines, 1):
        if len(line) > columns and not (path in WRITTEN and
                                        AS_WRITTEN.match(line)):
            found.append(f"{path}:{number}: {len(line)} characters, more "
                         f"than {columns}")
        if OUTSIDE.search(line) and path != "bench/DATA.md":
            found.append(f"{path}:{number}: points outside of the tree")
    for number, line in enumerate(prose(text), 1):
        for target in LINK.findall(CODE.sub("", line)):
            problem = link_problem(root, path, target)
            if problem:
                found.append(f"{path}:{number}: {problem}")
        if files and not PAST.match(path):
            for code in CODE.findall(line):
                for folder, name in NAMED.findall(code):
                    problem = named_problem(files, folder, name)
                    if problem:
                        found.append(f"{path}:{number}: {problem}")
    return found


# ---- examples ---------------------------------------------------------------

def lay_out(folder):
    """As the tree is after `make demo`: the command, the example data."""
    built = os.path.join(folder, "build", "release", "tools", "kith")
    os.makedirs(built)
    os.symlink(KITH, os.path.join(built, "kith"))
    for name in "examples", "tools":
        os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
    subprocess.run([sys.executable,
                    os.path.join(SOURCE, "scripts", "visits.py"),
                    os.path.join(folder, "demo")], check=True)
    return dict(os.environ, LC_ALL="C.UTF-8",
                PATH=built + os.pathsep + os.environ["PATH"])


def commands(lines):
    """[(command, [what it prints])] of a console block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][1].append(line)
    return found


def shape(line):
    return " ".join(NUMBER.sub("#", line).split())


def prints(want, got):
    """Does the output have the shape that is shown?"""
    if not want:
        return not got
    if want[0].strip() == "...":
        return any(prints(want[1:], got[i:]) for i in range(len(got) + 1))
    line, shown = shape(got[0]) if got else "", shape(want[0])
    if shown.endswith(" ..."):
        line = line[:len(shown) - 4] + " ..."
    return bool(got) and line == shown and prints(want[1:], got[1:])


def run_shell(options, script, folder, env):
    run = subprocess.run(["sh", options, script], cwd=folder, env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, timeout=300, check=False)
    return run.returncode, run.stdout.rstrip("\n")


def run_block(where, block, folder, env):
    """(problem or None) of one block. A script's cd lasts for the page."""
    _, language, lines, _ = block
    if language == "sh":
        code, out = run_shell("-ec", "\n".join(lines) + '\npwd >"$KITH_PWD"',
                              folder[0], dict(env, KITH_PWD=folder[1]))
        if code != 0:
            return f"{where}: exit {code}:\n{out[-800:]}"
        with open(folder[1], encoding="utf-8") as file:
            folder[0] = file.read().strip()
        return None
    for command, want in commands(lines):
        code, out = run_shell("-c", command, folder[0], env)
        if code != 0:
            return f"{where}: exit {code}: {command}\n{out[-800:]}"
        want = [line for line in want if line.strip()]
        got = [line for line in out.split("\n") if line.strip()]
        if not prints(want, got):
            return (f"{where}: {command}\n  prints\n    "
                    + "\n    ".join(got) + "\n  and not\n    "
                    + "\n    ".join(want))
    return None


def run_page(root, path):
    """(number of blocks that were run, problems)"""
    found, ran = [], 0
    with tempfile.TemporaryDirectory(prefix="kith-pages-") as top:
        work = os.path.join(top, "work")
        os.mkdir(work)
        env = lay_out(work)
        folder = [work, os.path.join(top, "pwd")]
        for block in blocks(read(root, path)):
            if block[1] not in ("sh", "console") or block[3]:
                continue
            ran += 1
            problem = run_block(f"{path}:{block[0]}", block, folder, env)
            if problem:
                found.append(problem)
                break  # later blocks build on earlier ones
    if ran == 0:
        found.append(f"{path}: no examples that run")
    return ran, found


# ---- the check can fail -----------------------------------------------------

SPECIMENS = {  # path -> (text, words that a problem must have; None: fine)
    "good.md": ("# A b\n\n[x](good.md#a-b) [y](#a-b) [z](sub/) `[n](no)`\n"
                "```sh\n[m](no)\n```\n", None),
    "sub/up.md": ("[x](../good.md)\n", None),
    "wide.md": ("x" * 121 + "\n", "characters"),
    "bench/RESULTS.md": ("x" * 121 + "\n", "characters"),
    "bench/FIGURE2.md": ("|" + "x" * 121 + "\n", None),
    "lost.md": ("[x](nowhere.md)\n", "leads nowhere"),
    "head.md": ("[x](good.md#c)\n", "no such heading"),
    "out.md": ("[x](../../else.md)\n", "outside"),
    "notes.md": ("see ../shared/spec\n", "outside"),
    "README.md": ("x\n" * 121, "lines"),
    "names.md": ("`sub/up.md`, `up.md`, `u*.md`, `test x.csv`, "
                 "`<sodium.h>`\n", None),
    "gone.md": ("`sub/gone.c`\n", "not there"),
    "moved.md": ("`sup/up.md`\n", "not there"),
    MAP: ("## The folders\n\n| folder | job |\n|---|---|\n| `dp` | x |\n\n"
          "## Next\n| `no` | x |\n", None),
}
RUNS = [  # (text, words that a problem must have; None: fine)
    ("```sh\ntrue\n```\n", None),
    ("```sh\ncd demo; test -s visits.csv\n```\n```sh\ntest -s bounds.csv\n"
     "```\n", None),
    ("```sh\nfalse\ntrue\n```\n", "exit 1"),
    ("<!-- not run: x -->\n\n```sh\nfalse\n```\n```sh\ntrue\n```\n", None),
    ("```console\n$ echo a 1.5\na 7\n```\n", None),
    ("```console\n$ echo a 1\nb 1\n```\n", "prints"),
    ("```console\n$ seq 3\n...\n3\n```\n", None),
    ("```console\n$ seq 3\n1\n```\n", "prints"),
    ("- x\n\n  ```console\n  $ echo a b c\n  a ...\n  ```\n", None),
    ("```console\n$ echo a b c\nb ...\n```\n", "prints"),
    ("```console\n$ echo a; false\na\n```\n", "exit 1"),
    ("words\n", "no examples"),
]


def self_test():
    with tempfile.TemporaryDirectory() as root:
        for folder in ("sub", "docs", "bench", "src/dp"):
            os.makedirs(os.path.join(root, folder))
        for path, (text, _) in SPECIMENS.items():
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
        files = sorted(files_of(root))
        for path, (_, want) in SPECIMENS.items():
            got = check_page(root, path, files)
            if bool(got) != bool(want) or want and want not in got[0]:
                sys.exit(f"pages: self-test: {path}: wanted {want}, got {got}")
        for words, want in (("see good.md, docs/design.md", 0), ("T1.md", 1),
                            ("docs/good.md", 1)):
            with open(os.path.join(root, "src/dp/a.c"), "w",
                      encoding="utf-8") as file:
                file.write(f"/* {words} */\n")
            if len(cited_problems(root, sorted(files_of(root)))) != want:
                sys.exit(f"pages: self-test: {words}")
        if map_problems(root):
            sys.exit("pages: self-test: a good map of folders is refused")
        os.rename(os.path.join(root, "src/dp"), os.path.join(root, "src/dq"))
        if len(map_problems(root)) != 2:
            sys.exit("pages: self-test: a moved folder is not seen")
        for text, want in RUNS:
            with open(os.path.join(root, "run.md"), "w",
                      encoding="utf-8") as file:
                file.write(text)
            got = run_page(root, "run.md")[1]
            if bool(got) != bool(want) or want and want not in got[0]:
                sys.exit(f"pages: self-test: {text!r}: wanted {want}, "
                         f"got {got}")


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print("pages: self-test ok")
        return
    chosen = sys.argv[sys.argv.index("--pages") + 1:] \
        if "--pages" in sys.argv else None
    files = sorted(files_of(SOURCE))
    problems, count, ran = map_problems(SOURCE), 0, 0
    problems += cited_problems(SOURCE, files)
    for path in pages(SOURCE):
        if chosen is None or path in chosen:
            problems += check_page(SOURCE, path, files)
            count += 1
    for path in EXAMPLES:
        if chosen is None or path in chosen:
            blocks_run, found = run_page(SOURCE, path)
            ran += blocks_run
            problems += found
    if problems:
        sys.exit("\n".join(problems) + f"\npages: {len(problems)} problems")
    print(f"pages: {count} pages ok, {ran} blocks of examples run")


if __name__ == "__main__":
    main()
