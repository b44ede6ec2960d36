"""As much SVG as the figures of three papers need: lines with bands over a
linear or logarithmic axis, a legend below. 400 wide, so that one panel fills a
phone and three stand side by side on a screen."""
import html
import math

WIDE, HIGH, LEFT, TOP, RIGHT = 400, 240, 62, 30, 20
ROW = 16  # of the legend

# The same colour for the same method in every figure.
COLOURS = {
    "auto": "#b3202c", "balcan": "#1f5fa8", "balcan as published": "#6ba3dc",
    "sulq": "#c05a1f", "lloyd": "#e8a33d", "grid": "#2f9e8f",
    "kvariates": "#8e6bb8", "sample-aggregate": "#777777",
    "not private": "#000000",
    "weighted-centers": "#1f5fa8", "Kaplan, Stemmer 2018": "#c05a1f",
    "one-round": "#2f9e8f", "√n": "#555555", "n^(2/3)": "#999999",
}
GUIDES = ("√n", "n^(2/3)")  # drawn to compare slopes with


def ticks(low, high, log):
    if log:
        found = [10.0 ** e for e in range(math.floor(math.log10(low)),
                                          math.ceil(math.log10(high)) + 1)]
        inside = [t for t in found if low * .999 <= t <= high * 1.001]
        if len(inside) < 4:
            found = [m * t for t in found for m in (1, 2, 5)]
        found = [t for t in found if low * .999 <= t <= high * 1.001]
        if len(found) > 1:
            return found  # else: less than a decade, so evenly spaced ones
    step = 10 ** math.floor(math.log10((high - low) or 1))
    while (high - low) / step < 4:
        step /= 2
    first = math.ceil(low / step)
    return [step * i for i in range(first, int(high / step) + 1)]


def number(value, step=0):
    """Short, and with as many digits as tell one tick from the next."""
    if value and (abs(value) >= 1e5 or abs(value) < 1e-4):
        power = math.floor(math.log10(abs(value)))
        digits = str(power).translate(str.maketrans("-0123456789",
                                                    "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        front = value / 10 ** power
        return ("" if abs(front - 1) < 1e-9 else "%g·" % front) + "10" + digits
    if step:
        return "%.*f" % (max(0, -math.floor(math.log10(step) + 1e-9)
                             + (round(step / 10 ** math.floor(
                                 math.log10(step) + 1e-9), 6) % 1 > 0)), value)
    return "%g" % value


def band_of(values):
    """The range of few runs, the middle half of many."""
    values = sorted(values)
    if len(values) < 8:
        return values[0], values[-1]
    return values[len(values) // 4], values[-1 - len(values) // 4]


class Axis:
    def __init__(self, low, high, log, start, end):
        self.log, self.start, self.end = log, start, end
        if high <= low:
            low, high = (low / 2, low * 2) if log else (low - 1, low + 1)
        self.low, self.high = low, high

    def __call__(self, value):
        if self.log:
            part = math.log(max(value, self.low) / self.low) / math.log(
                self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + min(max(part, -.02), 1.02) * (self.end - self.start)


def panel(title, lines, x_name, y_name, x_log=False, y_log=False, categories=None):
    """lines: [(label, [(x, [y of each run])])]; the mean is drawn, and a band
    (band_of). A line of one point is a dashed level.
    categories: x are their numbers. Returns an SVG document."""
    lines = [(label, [(x, ys) for x, ys in points if ys])
             for label, points in lines]
    lines = [(label, points) for label, points in lines if points]
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, values in points
          for y in (*band_of(values), sum(values) / len(values))
          if not y_log or y > 0]
    if not ys:
        return None
    low, high = min(ys), max(ys)
    if y_log:
        room = (high / low) ** .05
        low, high = low / room, high * room
    else:
        low, high = low - .05 * (high - low), high + .05 * (high - low)
    across = Axis(min(xs), max(xs), x_log, LEFT, WIDE - RIGHT)
    if categories:
        across = Axis(-.5, len(categories) - .5, False, LEFT, WIDE - RIGHT)
    up = Axis(low, high, y_log, TOP + HIGH, TOP)
    rows = (len(lines) + 1) // 2
    height = TOP + HIGH + 44 + rows * ROW
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
           'width="%d" height="%d" font-family="sans-serif" font-size="11" '
           'role="img">' % (WIDE, height, WIDE, height),
           '<title>%s</title>' % html.escape(title),
           '<rect width="100%" height="100%" fill="white"/>']

    def text(x, y, words, anchor="middle", size=11):
        out.append('<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" '
                   'fill="#222">%s</text>' % (x, y, anchor, size,
                                              html.escape(words)))

    def path(points, colour, width, dash=""):
        out.append('<polyline fill="none" stroke="%s" stroke-width="%g"%s '
                   'points="%s"/>' % (
                       colour, width,
                       ' stroke-dasharray="%s"' % dash if dash else "",
                       " ".join("%.1f,%.1f" % p for p in points)))

    text(WIDE / 2, 16, title, size=12)
    marks = ticks(low, high, y_log)
    for t in marks:
        path([(LEFT, up(t)), (WIDE - RIGHT, up(t))], "#e6e6e6", 1)
        text(LEFT - 5, up(t) + 4, number(
            t, 0 if y_log or len(marks) < 2 else marks[1] - marks[0]), "end")
    shown = sorted(set(xs)) if categories is None else range(len(categories))
    for x in shown:
        text(across(x), TOP + HIGH + 15,
             number(x) if categories is None else categories[x],
             size=11 if len(shown) < 9 else 9)
    path([(LEFT, TOP), (LEFT, TOP + HIGH), (WIDE - RIGHT, TOP + HIGH)], "#333", 1)
    text((LEFT + WIDE - RIGHT) / 2, TOP + HIGH + 30, x_name)
    out.append('<text transform="translate(11 %d) rotate(-90)" text-anchor='
               '"middle" fill="#222">%s</text>' % (TOP + HIGH / 2,
                                                   html.escape(y_name)))
    for i, (label, points) in enumerate(lines):
        colour = COLOURS.get(label, "hsl(%d 45%% 45%%)" % (i * 67 % 360))
        guide = label in GUIDES
        dash = "2 3" if guide else ""
        means = [(across(x), up(sum(v) / len(v))) for x, v in points]
        if len(points) > 1 and not categories:
            band = [(across(x), up(band_of(v)[1])) for x, v in points]
            band += [(across(x), up(band_of(v)[0])) for x, v in reversed(points)]
            out.append('<polygon fill="%s" fill-opacity=".15" points="%s"/>'
                       % (colour, " ".join("%.1f,%.1f" % p for p in band)))
            path(means, colour, 2.4 if label == "auto" else 1.5, dash)
        elif len(points) == 1 and not categories:
            path([(LEFT, means[0][1]), (WIDE - RIGHT, means[0][1])], colour, 1,
                 "4 3")
        for x, values in points if categories else ():
            at = across(x) + (i - len(lines) / 2) * 6
            path([(at, up(min(values))), (at, up(max(values)))], colour, 2)
        for n, (x, y) in enumerate(() if guide else means):
            at = across(points[n][0]) + (i - len(lines) / 2) * 6 if categories else x
            out.append('<circle cx="%.1f" cy="%.1f" r="2.4" fill="%s"/>'
                       % (at, y, colour))
        left = LEFT + (i % 2) * (WIDE - LEFT) / 2
        top = TOP + HIGH + 46 + (i // 2) * ROW
        path([(left, top - 4), (left + 18, top - 4)], colour, 2.4, dash)
        text(left + 24, top, label, "start")
    return "\n".join(out + ["</svg>", ""])
