#!/usr/bin/env python3
"""Is every public function called with NULL, for each pointer that it takes?

tests/unit/test_null*.c and tests/service/test_null*.c say that a caller's slip
is an error and not a crash, in every public function. This reads the functions
of include/kith/*.h and the calls of those tests: each pointer parameter must be
NULL in one of them. Errors and the arguments of callbacks are left out.

Run from the root of the source tree. First shows that a missing call is found;
--self-test stops after that.
"""
import glob
import re
import sys

HEADERS = "include/kith/*.h*"
TESTS = ("tests/unit/test_null*.c", "tests/service/test_null*.c")

NOISE = re.compile(r'/\*.*?\*/|^\s*#.*?(?<!\\)$|"(?:\\.|[^"\\\n])*"', re.S | re.M)
PUBLIC = re.compile(r"\bKITH_API\b[^;{}()]*?\b(kith_\w+)\s*\(")
# A pointer, an array, or a function; the last are typedefs with these names.
POINTER = re.compile(r"\*|\[|\(|_(?:fn|sink)\b")
LEFT_OUT = re.compile(r"^(?:kith_error \*err|void \*(?:\w+_)?arg)$")


def arguments(text, at):
    """The arguments of the parenthesis that opens before `at`."""
    found, depth, start = [], 0, at
    for i in range(at, len(text)):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}" and depth:
            depth -= 1
        elif c == "," and not depth:
            found.append(text[start:i])
            start = i + 1
        elif c == ")":
            found.append(text[start:i])
            break
    return [" ".join(one.split()) for one in found]


def wanted(header):
    """{function: {place of a pointer: its declaration}}"""
    text = NOISE.sub(" ", header)
    functions = {}
    for match in PUBLIC.finditer(text):
        pointers = {i: one
                    for i, one in enumerate(arguments(text, match.end()))
                    if POINTER.search(one) and not LEFT_OUT.match(one)}
        if pointers:
            functions[match.group(1)] = pointers
    return functions


def missing(header, test):
    """A line for each pointer that no call has as NULL."""
    text = NOISE.sub(" ", test)
    lines = []
    for name, pointers in sorted(wanted(header).items()):
        calls = [arguments(text, m.end())
                 for m in re.finditer(r"\b%s\(" % name, text)]
        for i, declaration in pointers.items():
            if not any(len(call) > i and call[i] == "NULL" for call in calls):
                lines.append(f"{name}: {declaration}: never NULL in a test")
    return lines


# ---- the check can fail ----------------------------------------------------

HEADER = """
#define KITH_API
/* KITH_API int kith_comment(int *x); */
KITH_API int kith_none(void);
KITH_API KITH_CHECKED kith_status
kith_two(const kith_data *data, double share, char **out, kith_error *err);
KITH_API void kith_each(int (*visit)(void *arg, const char *name), void *arg);
KITH_API int kith_bytes(const uint8_t id[16], kith_row_sink *sink);
KITH_API int kith_numbers(uint32_t i, kith_unit unit);
"""
SPECIMENS = [
    ("REFUSED(kith_two(NULL, f(1, 2), &o, &err));\n"
     "kith_two(d, g({1, 2}), NULL, &err); kith_each(NULL, 0);\n"
     "kith_bytes(NULL, NULL);", []),
    ("kith_two(NULL, 1, &o, &err); /* kith_two(d, 1, NULL, &err); */\n"
     "kith_each(NULL, 0); kith_bytes(id, NULL);",
     ["kith_bytes: const uint8_t id[16]: never NULL in a test",
      "kith_two: char **out: never NULL in a test"]),
]


def self_test():
    for test, want in SPECIMENS:
        got = missing(HEADER, test)
        if got != want:
            sys.exit(f"nulls: self-test: wanted {want}, got {got}")


def read(*patterns):
    names = sorted(n for p in patterns for n in glob.glob(p))
    if not names:
        sys.exit("nulls: nothing to read; run from the root of the tree")
    text = []
    for name in names:
        with open(name, encoding="utf-8") as file:
            text.append(file.read())
    return "\n".join(text)


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print(f"nulls: self-test ok, {len(SPECIMENS)} specimens")
        return
    header = read(HEADERS)
    problems = missing(header, read(*TESTS))
    if problems:
        sys.exit("\n".join(problems) + f"\nnulls: {len(problems)} problems")
    count = wanted(header)
    print(f"nulls: {len(count)} functions, "
          f"{sum(map(len, count.values()))} pointers ok")


if __name__ == "__main__":
    main()
