#!/usr/bin/env python3
"""Small files, functions and lists of parameters (CONTRIBUTING.md).

src/, include/, tools/: at most 400 lines a file and 60 lines a function;
there, in python/, bench/ and tests/: at most 7 parameters.

Run from the root of the source tree. First shows on specimens that each rule
can fail; --self-test stops after that.
"""
import os
import re
import sys

MOST_LINES, MOST_BODY, MOST_PARAMETERS = 400, 60, 7
SMALL = ("src", "include", "tools")
FEW = SMALL + ("python", "bench", "tests")

# Comments, strings and characters, in the order they are met.
TOKEN = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.S | re.X)
FUNCTION = re.compile(r"^(?!typedef|struct|enum|static const)[A-Za-z_][\w \t*\n]*?\b"
                      r"(\w+)\(([^;{}]*)\)\s*(\n\{.*?^\}|;)", re.S | re.M)

# Called by a library, which decides what it passes; or in a library's place.
FOREIGN = ("handle_public", "handle_admin", "handle_report", "give_certificate",
           "cblas_sgemm")


def blank(match):
    """As many line ends, so that line numbers stay."""
    return " " + "\n" * match.group().count("\n")


def parameters(text):
    depth, count = 0, 1
    for c in text:
        depth += (c in "([") - (c in ")]")
        count += c == "," and depth == 0
    return 0 if text.strip() in ("", "void") else count


def within(path, folders):
    return any(path.startswith(f + "/") for f in folders)


def check_text(path, text):
    found = []
    lines = text.count("\n")
    if within(path, SMALL) and lines > MOST_LINES:
        found.append(f"{path}: {lines} lines, more than {MOST_LINES}: look "
                     "for the second idea hiding in it")
    code = TOKEN.sub(blank, text)
    for match in FUNCTION.finditer(code):
        name, given, body = match.groups()
        line = code.count("\n", 0, match.start()) + 1
        if parameters(given) > MOST_PARAMETERS and (
                name[-1] != "_" and name not in FOREIGN):  # _: LAPACK
            found.append(f"{path}:{line}: {name} has {parameters(given)} "
                         f"parameters, more than {MOST_PARAMETERS}: make a "
                         "struct of those that belong together")
        length = match.group().count("\n") + 1
        if body != ";" and within(path, SMALL) and length > MOST_BODY:
            found.append(f"{path}:{line}: {name} has {length} lines, more "
                         f"than {MOST_BODY}")
    return found


def check(root):
    problems, count = [], 0
    for folder in FEW:
        for at, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                full = os.path.join(at, name)
                if name.endswith((".c", ".h")):
                    count += 1
                    with open(full, encoding="utf-8") as file:
                        problems += check_text(os.path.relpath(full, root),
                                               file.read())
    return count, problems


# ---- the check can fail ----------------------------------------------------

EIGHT = "int a, int b, int c, int d, int e, int f, int g, int (*h)(int, int)"
SPECIMENS = {
    "src/dp/long.c": ("\n" * 401, ["401 lines"]),
    "src/dp/fine.c": ("\n" * 400, []),
    "tests/support/long.c": ("\n" * 401, []),
    "src/dp/many.c": (f"static int f({EIGHT})\n{{\n}}\n", ["f has 8"]),
    "include/kith/many.h": (f"/* x */\nAPI int\nf({EIGHT});\n", ["f has 8"]),
    "tests/support/many.h": (f"static inline int f({EIGHT})\n{{\n}}\n",
                             ["f has 8"]),
    "src/dp/seven.c": ("int f(int a, int b, int c, int d, int e, int f, "
                       "int (*g)(int, int)) /* , */\n{\n    h(1, 2, 3, 4, 5, "
                       "6, 7, 8, 9);\n}\n", []),
    "tools/kith/body.c": ("int f(void)\n{\n" + "    g();\n" * 58 + "}\n",
                          ["f has 61 lines"]),
    "tools/kith/short.c": ("int f(void)\n{\n" + "    g();\n" * 57 + "}\n", []),
    "src/cluster/auto_x.c": ("\n" * 999, ["999 lines"]),
}


def self_test():
    for path, (text, want) in SPECIMENS.items():
        got = check_text(path, text)
        if len(got) != len(want) or any(w not in g for w, g in zip(want, got)):
            sys.exit(f"small: self-test: {path}: wanted {want}, got {got}")


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print(f"small: self-test ok, {len(SPECIMENS)} specimens")
        return
    count, problems = check(".")
    if count == 0:
        sys.exit("small: no sources here; run from the root of the tree")
    if problems:
        sys.exit("\n".join(problems) + f"\nsmall: {len(problems)} problems")
    print(f"small: {count} files ok")


if __name__ == "__main__":
    main()
