#!/usr/bin/env python3
"""Names that must not occur, and where (CONTRIBUTING.md).

Run from the root of the source tree. First shows on a tree made of violations
that each of them is caught and that look-alikes are not, then checks the real
one; --self-test stops after the first part.
"""
import os
import re
import sys
import tempfile

FOLDERS = ("src", "tools", "include")

# (names, where they are banned, where they are allowed all the same, why)
RULES = [
    (r"s?rand rand_r s?random(?:_r)? [sdelnmj]rand48 getrandom getentropy "
     r"arc4random\w* RAND_bytes", FOLDERS, (),
     "secret coins come from noise/entropy.c, public ones from base/coins.c"),
    ("sprintf strcpy strcat atoi atof gets alloca", FOLDERS, (),
     "no bound, or no error: use snprintf, memcpy, strtod, kith_i_alloc"),
    # I27
    (r"randombytes_\w+ crypto_\w+_keygen", FOLDERS, ("src/noise/entropy.c",),
     "only noise/entropy.c draws secret coins"),
    ("malloc calloc realloc free aligned_alloc reallocarray posix_memalign "
     "strdup strndup v?asprintf getline open_memstream", ("src",),
     ("src/base/mem.c",),
     "kith_i_alloc checks, zeroes, and can be made to fail by a test"),
    ("printf fprintf vprintf vfprintf puts fputs putchar exit _exit abort",
     ("src",), (), "a library does not print and does not exit"),
    (r"MPI_\w+", FOLDERS, ("tools/kith-mpi/team_mpi.c",),
     "one file knows MPI: others talk through kith/team.h"),
]

# Split, so that this file may be searched too. A mkstemp template is fine.
UNFINISHED = re.compile(r"\b(?:TO" "DO|FIX" "ME|XX" r"X)\b")

# Comments, strings and characters, in the order they are met.
TOKEN = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.S | re.X)


def blank(match):
    """As many line ends, so that line numbers stay."""
    return " " + "\n" * match.group().count("\n")


def calls(text, names):
    """(line, name) of each use as a function: called, or handed on."""
    # A field x.free and the attribute format(printf, ...) are something else.
    pattern = re.compile(r"(?<![\w.>])(?<!format\()(?:%s)\b"
                         % "|".join(names.split()))
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def check(root):
    """(number of files, problems)"""
    problems, count = [], 0
    for folder in FOLDERS:
        for at, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if not name.endswith((".c", ".h", ".in")):
                    continue
                count += 1
                full = os.path.join(at, name)
                path = os.path.relpath(full, root)
                with open(full, encoding="utf-8") as file:
                    problems += check_text(path, file.read())
    return count, problems


def check_text(path, text):
    found = [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: {m.group()}: "
             "finish it, or write it down in docs/"
             for m in UNFINISHED.finditer(text)]
    code = TOKEN.sub(blank, text)
    for names, folders, allowed, why in RULES:
        if path.split("/")[0] in folders and path not in allowed:
            found += [f"{path}:{line}: {name}: {why}"
                      for line, name in calls(code, names)]
    return found


# ---- the check can fail ----------------------------------------------------

# path -> (contents, the names that must be caught, all of them)
SPECIMENS = {
    "src/dp/m.c": ("MPI_Init(0, 0);", "MPI_Init"),
    "tools/kith-mpi/team_mpi.c": ("MPI_Init(0, 0);", ""),
    "src/dp/a.c": ("int x = rand();\nsrand(1); drand48(); random (); "
                   "rand_r(&s);", "rand srand drand48 random rand_r"),
    "src/noise/more.c": ("getrandom(p, 8, 0); getentropy(p, 8); arc4random();\n"
                         "arc4random_buf(p, 8); lrand48(); srandom(1);",
                         "getrandom getentropy arc4random arc4random_buf "
                         "lrand48 srandom"),
    "src/data/copies.c": ("strdup(s); strndup(s, 1); asprintf(&s, f);",
                          "strdup strndup asprintf"),
    "tools/kith/copies_too.c": ("strdup(s);", ""),
    "tools/kith/b.c": ("sprintf(s, \"\"); strcpy(a, b);\nstrcat(a, b); "
                       "atoi(a); atof(a); gets(a); alloca(3);",
                       "sprintf strcpy strcat atoi atof gets alloca"),
    "src/dp/c.c": ("randombytes_buf(p, 3);\nf(randombytes_uniform);",
                   "randombytes_buf randombytes_uniform"),
    "src/noise/entropy.c": ("randombytes_buf(p, 3); malloc(3);", "malloc"),
    "src/data/d.c": ("free(malloc(1)); calloc(1, 1);\nrealloc(p, 1); "
                     "aligned_alloc(1, 1);\nlist_each(l, free);",
                     "malloc calloc realloc free aligned_alloc free"),
    "src/base/mem.c": ("free(malloc(1));", ""),
    "src/data/e.c": ("printf(\"\"); fprintf(stderr, \"\"); puts(s); exit(1);\n"
                     "/* a */ abort();", "printf fprintf puts exit abort"),
    "tools/kith/f.c": ("printf(\"\"); free(malloc(1)); exit(1);", ""),
    "include/kith/g.h": ("static inline int f(void) { return rand(); }",
                         "rand"),
    "src/data/h.c": ("/* rand() TO" "DO */", "TO" "DO"),
    "src/data/i.c": ("// FIX" "ME\nint XX" "X;", "FIX" "ME XX" "X"),
    # Look-alikes.
    "src/data/j.c": ("/* malloc(1), \" */ f(\"rand() \\\" exit(1)\"); '\"'; "
                     "// free(p)\n kith_i_free(p); snprintf(a, 1, b); "
                     "operand(); x.free(1); x->free(1); random_bits(); "
                     "vsnprintf(a, 1, b, c); on_exit_done();\n"
                     "__attribute__((format(printf, 1, 2))); s = \"/XX" "XX" "XX\";",
                     ""),
}


def self_test():
    for path, (text, want) in SPECIMENS.items():
        got = [p.split(": ")[1] for p in check_text(path, text)]
        if sorted(got) != sorted(want.split()):
            sys.exit(f"banned: self-test: {path}: wanted [{want}], "
                     f"got {got}")
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src", "dp"))
        with open(os.path.join(root, "src", "dp", "a.c"), "w",
                  encoding="utf-8") as file:
            file.write("int a;\nint b = rand();\n")
        if check(root) != (1, [f"src/dp/a.c:2: rand: {RULES[0][3]}"]):
            sys.exit("banned: self-test: a file was not read")


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print(f"banned: self-test ok, {len(SPECIMENS)} specimens")
        return
    count, problems = check(".")
    if count == 0:
        sys.exit("banned: no sources here; run from the root of the tree")
    if problems:
        sys.exit("\n".join(problems) + f"\nbanned: {len(problems)} problems")
    print(f"banned: {count} files ok")


if __name__ == "__main__":
    main()
