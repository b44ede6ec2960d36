#!/usr/bin/env python3
"""Every invariant of docs/invariants.md is cited where it is kept.

An invariant is a line `- **I12** ...`. A citation is its number in a comment
of a C source: `/* I12: ... */`. Fails when

- a number is cited, anywhere in the tree, that the page does not have;
- an invariant is cited in no file of src/, tools/ or include/ and does not
  say `*Kept by `path`*`, with a test or script that exists and cites it;
- numbers are missing or double on the page.

Run from the root of the source tree. First shows on a made-up tree that each
of these is caught; --self-test stops there. --list prints where each is kept.
"""
import os
import re
import sys
import tempfile

PAGE = "docs/invariants.md"
SOURCES = ("src", "tools", "include")
OTHERS = ("tests", "scripts", "bench", "examples")

ENTRY = re.compile(r"^- \*\*I(\d+)\*\* ", re.M)
KEPT_BY = re.compile(r"\*Kept\s+by\s+([^*]+)\*")
PATH = re.compile(r"`([\w/.]+)`")
# In C only comments count: I1 may be the name of a variable.
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
CITED = re.compile(r"(?<![\w'\"])I([1-9]\d*)(?![\w.])")


def invariants(text):
    """[(number, text of the entry)] in the order of the page."""
    marks = list(ENTRY.finditer(text))
    ends = [m.start() for m in marks[1:]] + [len(text)]
    return [(int(m.group(1)), text[m.start():end])
            for m, end in zip(marks, ends)]


def citations(root, folders):
    """{number: [path:line]} of what the comments cite."""
    found = {}
    for folder in folders:
        for at, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(at, name), root)
                if name.endswith((".c", ".h")):
                    spans = COMMENT.finditer
                elif name.endswith((".py", ".sh", "CMakeLists.txt")) \
                        and name != os.path.basename(__file__):
                    spans = re.compile(r"#[^\n]*|\"\"\".*?\"\"\"",
                                       re.S).finditer
                else:
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    text = file.read()
                for span in spans(text):
                    for match in CITED.finditer(span.group()):
                        line = text.count("\n", 0,
                                          span.start() + match.start()) + 1
                        found.setdefault(int(match.group(1)), []).append(
                            f"{path}:{line}")
    return found


def check(root):
    """(invariants, where each is cited, problems)"""
    with open(os.path.join(root, PAGE), encoding="utf-8") as file:
        entries = invariants(file.read())
    numbers = [number for number, _ in entries]
    inside, outside = citations(root, SOURCES), citations(root, OTHERS)
    problems = []
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        problems.append(f"{PAGE}: numbers are not 1, 2, 3, ...")
    for number, places in sorted([*inside.items(), *outside.items()]):
        if number not in numbers:
            problems += [f"{place}: I{number} is not in {PAGE}"
                         for place in places]
    for number, text in entries:
        kept = KEPT_BY.search(text)
        if not kept and number not in inside:
            problems.append(f"I{number} is cited in no source; where is it "
                            "kept?")
        for path in PATH.findall(kept.group(1)) if kept else []:
            if not os.path.exists(os.path.join(root, path)):
                problems.append(f"I{number}: there is no {path}")
            elif not any(place.rsplit(":", 1)[0] == path
                         for place in outside.get(number, [])):
                problems.append(f"I{number}: {path} does not cite it")
        if kept and not PATH.search(kept.group(1)):
            problems.append(f"I{number}: kept by what?")
    cited = {n: inside.get(n, []) + outside.get(n, []) for n in numbers}
    return entries, cited, problems


# ---- the check can fail ------------------------------------------------------

GOOD = {
    PAGE: "- **I1** One.\n- **I2** Two. *Kept by `tests/t.sh`*\n",
    "src/a.c": "int I7; /* I1: see. */\n",
    "tests/t.sh": "# I2\nI9=1\n",
}
BROKEN = [  # (changed files, words that a problem must have)
    ({"src/a.c": "int I1;\n"}, "I1 is cited in no source"),
    ({"src/a.c": "/* I1, I3 */\n"}, "src/a.c:1: I3 is not in"),
    ({"tests/t.sh": "# none\n"}, "tests/t.sh does not cite it"),
    ({"tests/t.sh": "# I2 I4\n"}, "tests/t.sh:1: I4 is not in"),
    ({PAGE: "- **I1** One.\n- **I2** *Kept by `tests/u.sh`*\n"},
     "there is no tests/u.sh"),
    ({PAGE: "- **I1** One.\n- **I2** *Kept by review*\n"}, "kept by what?"),
    ({PAGE: "- **I1** One.\n- **I3** Three.\n"}, "not 1, 2, 3"),
    ({PAGE: "- **I1** One.\n- **I1** One.\n"}, "not 1, 2, 3"),
]


def self_test():
    for changed, want in [({}, None), *BROKEN]:
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**GOOD, **changed}.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)),
                            exist_ok=True)
                with open(os.path.join(root, path), "w",
                          encoding="utf-8") as file:
                    file.write(text)
            problems = check(root)[2]
        caught = any(want in p for p in problems) if want else not problems
        if not caught:
            sys.exit(f"invariants: self-test: wanted {want}, got {problems}")


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print(f"invariants: self-test ok, {len(BROKEN)} specimens")
        return
    entries, cited, problems = check(".")
    if "--list" in sys.argv[1:]:
        for number, _ in entries:
            print(f"I{number:<3}", " ".join(cited[number]) or "nowhere")
    if problems:
        sys.exit("\n".join(problems)
                 + f"\ninvariants: {len(problems)} problems")
    print(f"invariants: {len(entries)} ok, "
          f"{sum(map(len, cited.values()))} citations")


if __name__ == "__main__":
    main()
