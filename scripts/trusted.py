#!/usr/bin/env python3
"""Every line that must be right for `exact` to hold, file by file.

The tables of docs/privacy.md, section "The lines that privacy rests on", say
which files these are and what each is trusted for; this script reads them,
counts, and fails

- above a limit below: lines of code, without comments and blank lines;
- when a file of the folders that can reach rows, sums, noise or money is
  neither in a table nor in UNTRUSTED;
- when a table names a file or a function that is not there.

Run from the root of the source tree. --self-test: shows that it can fail.
"""
import glob
import os
import re
import sys
import tempfile

DOCUMENT = "docs/privacy.md"
SECTION = "## 6. The lines that privacy rests on"

# Folders in which every file is either trusted or said not to be.
WATCHED = ("base", "kernel", "noise", "budget", "data", "ranks", "dp", "release",
           "sidedoor")

# Heading of a table -> the most lines of code it may have. A limit that has
# become too high is lowered; raising one needs a reason in the commit.
LIMITS = {
    # Releases meet the other ranks of a team and publish to them: 8 to 10
    # lines each, a digest of what is asked among them (decision 27).
    # ... and 7: people are a unit, of one rank;
    # 26: a session goes on with other rows (bounds first), counts its receipts
    "The gate": 1480,  # that session: 20 lines
    # blocks answer with centres too: 14; keys of huge domains, out of the
    # gate: 50; a chain may be stopped: 10
    "Rarer releases": 2050,
    "Ranks of a team": 345,
    "Noise": 1470,  # it may be stopped: 10; a copy draws nothing: 6
    "Price": 670,
    # rows on disk, that must come back as they were: 230; dense rows without
    # a table of lengths: 7; a caller may stop a run: 30;
    # what does not fit is refused: 50; codes of values without bounds: 62
    "Rows": 1545,
    "Kernels that see rows": 1570,  # descriptions are looked at: 75
}
# What `exact` rests on in the gate's folder, teams among it, is to be read in
# a day: with comments too (docs/decisions/0012).
MOST_TO_READ = ("dp/", 2000)
# Counted too, but what they promise is another thing than `exact` of a model.
# Readers of arrays, tables and CSR in memory, of Arrow, and parts of files for
# ranks (200 lines) came in November 2026.
# Delimiters, decimal commas, words for "no value", names: 180 lines.
# One row of each person (decision 22): 400 lines; ids of further rows: 6.
# What the last slab has beyond its rows goes back to the system: 6 lines.
# Nothing but `kvariates` and `sample-aggregate` of k-means uses the baselines.
BESIDES = {"From lines to rows": 4650, "Several runs": 2000,
           "Two baselines": 320}

# Files of watched folders that see public or released values only, or whose
# mistakes cannot reach the law of what is released: why. A pattern of the
# tables does not mean them.
UNTRUSTED = {
    "base/error.c": "messages",
    "base/pool.c": "memory for released values", "base/pool.h": "the same",
    "base/options.c": "options", "base/options.h": "the same",
    "base/coins.c": "public coins: claims hold for every value",
    "base/mix.h": "accidents among ranks",
    "dp/ask_digest.c": "the same: the law does not depend on it",
    "dp/ask_digest.h": "the same", "ranks/ranks_alike.c": "the same",
    "kernel/fingerprint.c": "the same", "kernel/fingerprint.h": "the same",
    "base/digest.c": "what is published", "base/digest.h": "the same",
    "kernel/dense.c": "released values", "kernel/dense.h": "the same",
    "kernel/eigen.c": "released matrices",
    "kernel/labelled.c": "chains: asymptotic",
    "kernel/linear.c": "chains: asymptotic", "kernel/linear.h": "the same",
    "base/words.c": "chains: asymptotic", "base/words.h": "the same",
    "kernel/lbfgs.c": "released values", "kernel/lbfgs.h": "the same",
    "kernel/lloyd.c": "released points",
    "kernel/seeding.c": "released points",
    "kernel/matching.c": "released points",
    "kernel/orthonormal.c": "released planes",
    "kernel/planes.h": "released planes",
    "kernel/triangle.c": "released values",
    "kernel/vectors.h": "released values",
    "sidedoor/release_chain.c": "asymptotic, and says so",
    "sidedoor/release_chain.h": "the same",
    "noise/trace_noise.c": "which noise is smaller: either is charged for",
    "noise/trace_noise.h": "the same",
    "noise/build_info.c": "words for people",
    "sidedoor/block_planes.c": "a solver: whatever it answers is priced",
    "sidedoor/block_planes.h": "the same",
    "sidedoor/block_means.c": "a solver: whatever it answers is priced",
    "sidedoor/block_means.h": "the same",
    "data/reader_format.c": "the name of a file",
    "data/reader_columns.c": "which columns: options and the public header",
    "data/reader_columns.h": "the same",
    "data/reader_npy_header.c": "the public header: type and shape",
    "data/reader_npy_header.h": "the same",
}

NAME = re.compile(r"`([a-z_]+/[\w*.]+)(?:: ([\w, ]+))?`")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def code_lines(text):
    """Lines that are more than comments and blanks."""
    text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)
    return sum(1 for line in text.split("\n") if line.strip())


def function_text(text, name):
    """The definition of a function, or None."""
    match = re.search(r"^[a-z][\w \*]*\b%s\([^;{]*?\)\n\{.*?^\}$" % name, text,
                      re.S | re.M)
    return match.group() if match else None


def read_tables(root):
    """[(heading, [(file, functions or None)])]"""
    with open(os.path.join(root, DOCUMENT), encoding="utf-8") as file:
        text = file.read()
    if SECTION not in text:
        sys.exit(f"trusted: {DOCUMENT} has no section '{SECTION}'")
    text = text.split(SECTION)[1].split("\n## ")[0]
    tables = []
    for line in text.split("\n"):
        if line.startswith("### "):
            tables.append((line[4:].strip(), []))
        elif line.startswith("|") and tables:
            first = line.split("|")[1]
            for path, functions in NAME.findall(first):
                names = [f.strip() for f in functions.split(",") if f.strip()]
                tables[-1][1].append((path, names or None))
    return tables


def count(root, tables, problems):
    """[(heading, [(what, code, lines)])]"""
    counted = []
    for heading, entries in tables:
        rows = []
        for path, functions in entries:
            full = glob.glob(os.path.join(root, "src", path))
            if not full:
                problems.append(f"{DOCUMENT} names src/{path}: not there")
            for one in sorted(full):
                with open(one, encoding="utf-8") as file:
                    text = file.read()
                name = os.path.relpath(one, os.path.join(root, "src"))
                if "*" in path and name in UNTRUSTED:
                    continue
                if functions:
                    parts = [function_text(text, f) for f in functions]
                    for function, part in zip(functions, parts):
                        if part is None:
                            problems.append(f"{DOCUMENT} names {function} of "
                                            f"src/{path}: not there")
                    text = "\n".join(p for p in parts if p)
                    name += " (" + ", ".join(functions) + ")"
                rows.append((name, code_lines(text), len(text.splitlines())))
        counted.append((heading, rows))
    return counted


def unclassified(root, counted):
    known = {row[0].split(" ")[0] for _, rows in counted for row in rows}
    for folder in WATCHED:
        for path in sorted(glob.glob(os.path.join(root, "src", folder, "*"))):
            name = os.path.relpath(path, os.path.join(root, "src"))
            if name not in known and name not in UNTRUSTED:
                yield (f"src/{name}: say in {DOCUMENT} what it is trusted "
                       "for, or in scripts/trusted.py why it is not")
    for name in sorted(UNTRUSTED):
        if name in known:
            yield f"src/{name}: both trusted and not"
        if not os.path.exists(os.path.join(root, "src", name)):
            yield f"scripts/trusted.py names src/{name}: not there"


def check(root, out):
    problems, total = [], 0
    counted = count(root, read_tables(root), problems)
    for heading, rows in counted:
        limit = LIMITS.get(heading, BESIDES.get(heading))
        if limit is None:
            problems.append(f"'{heading}' has no limit in scripts/trusted.py")
            continue
        code, lines = (sum(row[i] for row in rows) for i in (1, 2))
        out.append(f"\n{heading}: {code} lines of code (limit {limit}), "
                   f"{lines} with comments")
        out += [f"  {row[1]:5} {row[2]:5}  {row[0]}" for row in rows]
        if heading in LIMITS:
            total += code
        if code > limit:
            problems.append(f"{heading}: {code} lines of code, above {limit}")
    folder, most = MOST_TO_READ
    read = sum(row[2] for _, rows in counted for row in rows
               if row[0].startswith(folder))
    out.append(f"\nsrc/{folder}: {read} trusted lines with comments "
               f"(limit {most})")
    if read > most:
        problems.append(f"src/{folder}: {read} lines with comments, above "
                        f"{most}")
    out.append(f"\n`exact` rests on {total} lines of code "
               f"(limit {sum(LIMITS.values())})")
    problems += unclassified(root, counted)
    for heading in set(LIMITS) | set(BESIDES):
        if heading not in {h for h, _ in counted}:
            problems.append(f"{DOCUMENT} has no table '{heading}'")
    return problems


# ---- the check can fail ----------------------------------------------------

SPECIMEN = {
    "src/dp/a.c": "int a;\n\n/* why\n" + "\n" * 2000 + "*/\nint b; /* c */\n",
    "src/dp/new.c": "int c;\n",
    "src/cluster/m.c": "static int f(int x)\n{\n    return x;\n}\n\nint g;\n",
    DOCUMENT: SECTION + "\n\n### The gate\n\n| `dp/a.c` | sums |\n"
              "| `cluster/m.c: f` `cluster/m.c: h` `dp/gone.c` | x |\n",
}


def self_test():
    if code_lines(SPECIMEN["src/dp/a.c"]) != 2:
        sys.exit("trusted: self-test: lines of code")
    with tempfile.TemporaryDirectory() as root:
        for path, text in SPECIMEN.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        saved, LIMITS["The gate"] = LIMITS["The gate"], 5
        out = []
        problems = "\n".join(check(root, out))
        LIMITS["The gate"] = saved
    for words in ("6 lines of code, above 5", "with comments, above 2000",
                  "names h of", "src/dp/gone.c",
                  "src/dp/new.c: say", "no table 'Noise'"):
        if words not in problems:
            sys.exit(f"trusted: self-test: not caught: {words}\n{problems}")


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print("trusted: self-test ok")
        return
    out = []
    problems = check(".", out)
    print("\n".join(out).lstrip("\n"))
    if problems:
        sys.exit("\n".join(problems) + f"\ntrusted: {len(problems)} problems")


if __name__ == "__main__":
    main()
