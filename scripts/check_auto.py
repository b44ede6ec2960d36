#!/usr/bin/env python3
"""The size of `auto`, and that its numbers are in one table.

src/auto: at most 2,800 lines in all, 80 numbers in recipe.def, each with a
word on why, and 40 rules (bench/ablation.py switches them off); each rule has
its line in docs/auto.md. Numbers elsewhere in src/auto are those of ELSEWHERE,
integers below 3, or powers of two written as such.

Run from the root of the source tree. First shows on specimens that each check
can fail; --self-test stops after that.
"""
import os
import re
import sys

MOST_LINES, MOST_NUMBERS, MOST_RULES = 2800, 80, 40
ENTRY = re.compile(r"^(?:NUMBER|WHOLE|SAME|SAME_WHOLE)\((\w+),[^)]*\)(.*)$", re.M)
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
LITERAL = re.compile(r"(?<![\w.])(\d+\.?\d*(?:e-?\d+)?|\.\d+(?:e-?\d+)?)(?![\w.])")

# file: numbers that are none of the recipe's.
ELSEWHERE = {
    "asks.c": {"65535": "the lattice", ".7": "middle of the first bin"},
    "auto.c": {"1e-6": "least share", "3": "rounds", "60": "progress"},
    "auto_run.h": {"60": "bins", "100": "effort", "1e-9": "rounding of shares"},
    "axes.c": {"24": "memory", "32": "memory", "256": "memory", ".45": "memory",
               ".38": "memory"},
    "believe.c": {"1e-6": "rank", "1e-300": "zero"},
    "blind.c": {},
    "choose.c": {".7": "largest of normals", "1e-300": "zero", "4": "(2 L)^2",
                 "30": "bits"},
    "leaves.c": {".8": "mean of |normal|", ".64": "its square",
                 "1e-300": "zero", "16": "guard", ".001": "guard"},
    "noisy_step.c": {"1e-300": "zero", "9": "cap of one deviate, (3 sd)^2"},
    "radii.c": {"3": "widths 3, 5, 9, 17", "4": "a fourth moment"},
    "refine.c": {"1e-6": "zero", "4": "guard; expected cost", "8": "guard",
                 ".25": "expected cost", ".6": "expected cost"},
    "scout.c": {"3": "times the share", "4": "times the share"},
    "stages.h": {"12": "memory"},
    "starts.c": {n: "effort" for n in ("3", "4", "7", "8", "64")} |
                {"71": "stream of coins"},
    "tree.c": {"48": "characters"},
}


def check(files, rules, page):
    """files: name to text; rules: name to numbers; page: docs/auto.md."""
    found = []
    lines = sum(text.count("\n") for text in files.values())
    if lines > MOST_LINES:
        found.append(f"{lines} lines, more than {MOST_LINES}")
    entries = ENTRY.findall(files["recipe.def"])
    if len(entries) > MOST_NUMBERS:
        found.append(f"{len(entries)} numbers, more than {MOST_NUMBERS}")
    found += [f"{name}: no reason" for name, rest in entries if "/*" not in rest]
    if len(rules) > MOST_RULES:
        found.append(f"{len(rules)} rules, more than {MOST_RULES}")
    names = {name for name, _ in entries}
    for rule, numbers in rules.items():
        found += [f"{rule}: no number {n}" for n in numbers if n not in names]
        if f"\n| {rule} |" not in page:
            found.append(f"{rule}: not in docs/auto.md")
    for name, text in sorted(files.items()):
        if name == "recipe.def":
            continue
        known = ELSEWHERE.get(name, {})
        for number in LITERAL.findall(COMMENT.sub(" ", text)):
            if float(number) not in (0, 1, 2) and number not in known:
                found.append(f"{name}: {number} is not in recipe.def")
    return lines, len(entries), found


# ---- the check can fail ----------------------------------------------------

TABLE = "NUMBER(a, 1, 2, 3) /* why */\n"
SPECIMENS = [
    ({"recipe.def": TABLE, "x.c": "y = 2 * r->a; /* 3 */\n"}, {"r": ["a"]},
     "\n| r | 1 |", []),
    ({"recipe.def": TABLE, "x.c": "\n" * 2800}, {}, "", ["2801 lines"]),
    ({"recipe.def": TABLE * 81}, {}, "", ["81 numbers"]),
    ({"recipe.def": "SAME(a, 1)\n"}, {}, "", ["a: no reason"]),
    ({"recipe.def": TABLE}, {str(i): [] for i in range(41)},
     "".join(f"\n| {i} |" for i in range(41)), ["41 rules"]),
    ({"recipe.def": TABLE}, {"r": ["b"]}, "\n| r |", ["r: no number b"]),
    ({"recipe.def": TABLE}, {"r": ["a"]}, "", ["r: not in docs"]),
    ({"recipe.def": TABLE, "x.c": "y = .3 * z;\n"}, {}, "", ["x.c: .3"]),
    ({"recipe.def": TABLE, "x.c": "y = x3[1 << 7];\n"}, {}, "", ["x.c: 7"]),
]


def self_test():
    for files, rules, page, want in SPECIMENS:
        got = check(files, rules, page)[2]
        if len(got) != len(want) or any(w not in g for w, g in zip(want, got)):
            sys.exit(f"auto: self-test: wanted {want}, got {got}")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print(f"auto: self-test ok, {len(SPECIMENS)} specimens")
        return
    sys.path.insert(0, "bench")
    import ablation
    files = {name: read("src/auto", name) for name in os.listdir("src/auto")}
    rules = {rule: n for rule, n in ablation.RULES.items() if rule}
    lines, numbers, found = check(files, rules, read("docs/auto.md"))
    if found:
        sys.exit("\n".join(found) + f"\nauto: {len(found)} problems")
    print(f"auto: {lines} lines, {numbers} numbers, {len(rules)} rules")


if __name__ == "__main__":
    main()
