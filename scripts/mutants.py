#!/usr/bin/env python3
"""Plant the mistakes of tests/mutants/ one at a time and see them caught.

Each file there is a mistake that would break privacy: what it is, the tests of
`make test` that must fail, and the text to replace. In a copy of the tree
(build/mutants) each is planted, the tests it names are built and run, and the
text is put back. Fails if a mistake is not caught, or cannot be planted any
more because the code has changed.

usage: scripts/mutants.py [--check | --quick] [NAME...]      (from the root)
--check: only see that every mistake can still be planted, and that the tests
it names are there.
--quick: take it for granted that the tests pass without any mistake.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import time

FOLDER = "tests/mutants"
COPY = "build/mutants"
TIMEOUT = 600  # seconds; a test that hangs has noticed too


class Mutant:
    def __init__(self, path, text=None):
        self.name = os.path.basename(path)[:-len(".txt")]
        if text is None:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        head, *hunks = re.split(r"^--- ", text, flags=re.M)
        self.tests = re.search(r"^tests: (.+)$", head, re.M).group(1).split()
        self.what = head.split("\ntests: ")[0].strip()
        self.hunks = []  # (file, was, becomes)
        for was, becomes in zip(hunks[::2], hunks[1::2]):
            path, was = was.split("\n", 1)
            mark, becomes = becomes.split("\n", 1)
            if mark != "becomes":
                sys.exit(f"mutants: {self.name}: '--- {mark}'")
            self.hunks.append((path, was, becomes))
        if not self.hunks or len(hunks) % 2:
            sys.exit(f"mutants: {self.name}: no pair of texts")

    def edited(self, root):
        """{path: text with the mistake}; a message if it cannot be planted"""
        texts = {}
        for path, was, becomes in self.hunks:
            full = os.path.join(root, path)
            if not os.path.exists(full):
                return f"{path} is not there"
            if path not in texts:
                with open(full, encoding="utf-8") as file:
                    texts[path] = file.read()
            found = texts[path].count(was)
            if found != 1:
                return f"{path}: the text is there {found} times"
            texts[path] = texts[path].replace(was, becomes)
        return texts


def problems(mutant):
    """Why it could not be planted, or caught, today."""
    found = mutant.edited(".")
    if isinstance(found, str):
        yield found
    for test in mutant.tests:
        if not glob.glob(f"tests/*/{test}.*"):
            yield f"there is no test {test}"


def check(mutants):
    """How many problems there are. First shows that each can be seen."""
    was = "def main():\n"
    for test, text, seen in (("test_team", was, 0), ("test_nothing", was, 1),
                             ("test_team", was + "never\n", 1)):
        specimen = Mutant("specimen.txt", f"What.\ntests: {test}\n--- scripts/"
                          f"mutants.py\n{text}--- becomes\n{text}\n")
        if len(list(problems(specimen))) != seen:
            sys.exit("mutants: the check does not see what is wrong")
    if not {"test_ledger_stores", "test_ledger_faults"} <= programs(
            "test_ledger_postgresql"):
        sys.exit("mutants: a script's programs would not be built")
    bad = 0
    for m in mutants:
        for problem in problems(m):
            print(f"{m.name}: {problem}")
            bad += 1
    return bad


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def copy_tree():
    """The files of the tree into COPY; those that did not change keep their times."""
    names = subprocess.run(["git", "ls-files", "-coz",
                            "--exclude-standard"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    wanted = {name for name in names if name and os.path.isfile(name)}
    for at, folders, files in os.walk(COPY):
        if os.path.relpath(at, COPY) == ".":
            folders[:] = [f for f in folders if f != "build"]
        for name in files:
            path = os.path.relpath(os.path.join(at, name), COPY)
            if path not in wanted:
                os.unlink(os.path.join(COPY, path))
    for name in wanted:
        to = os.path.join(COPY, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(name, "rb") as file:
            new = file.read()
        if os.path.exists(to):
            with open(to, "rb") as file:
                if file.read() == new:
                    continue
        shutil.copy2(name, to)
        os.utime(to)


def programs(test):
    """The targets that a test runs: itself, or those that its script names."""
    if glob.glob(f"tests/*/{test}.c"):
        return {test}
    targets = set()
    if glob.glob(f"tests/service/{test}.*"):
        targets |= {"kithd", "kithd_test"}
    for path in glob.glob(f"tests/*/{test}.*"):
        with open(path, encoding="utf-8") as file:
            for name in set(re.findall(r"\btest_\w+", file.read())):
                if glob.glob(f"tests/*/{name}.c"):
                    targets.add(name)
    return targets


def build(tests):
    """None, or what the compiler said."""
    targets = {"kith"}.union(*map(programs, tests))
    run = subprocess.run(["cmake", "--build", "--preset", "release",
                          "--target", *sorted(targets)], cwd=COPY,
                         capture_output=True, text=True)
    return None if run.returncode == 0 else run.stdout[-2000:]


def passes(test):
    run = subprocess.run(["ctest", "--test-dir", "build/release", "-R",
                          f"^{test}$", "--no-tests=error", "--timeout",
                          str(TIMEOUT)], cwd=COPY, capture_output=True,
                         text=True)
    if "No tests were found" in run.stdout + run.stderr:
        sys.exit(f"mutants: there is no test {test}")
    return run.returncode == 0


def plant(mutant):
    """(caught, by which test or why not)"""
    texts = mutant.edited(COPY)
    if isinstance(texts, str):
        return False, "cannot be planted: " + texts
    before = {}
    for path, text in texts.items():
        with open(os.path.join(COPY, path), encoding="utf-8") as file:
            before[path] = file.read()
        write(os.path.join(COPY, path), text)
    try:
        problem = build(mutant.tests)
        if problem:
            return False, "does not compile:\n" + problem
        for test in mutant.tests:
            if not passes(test):
                return True, test
        return False, "NOT CAUGHT by " + " ".join(mutant.tests)
    finally:
        for path, text in before.items():
            write(os.path.join(COPY, path), text)


def configure(mutants, quick):
    copy_tree()
    subprocess.run(["cmake", "--preset", "release", "-DKITH_WERROR=OFF"],
                   cwd=COPY, check=True, stdout=subprocess.DEVNULL)
    if quick:
        return
    tests = sorted({test for m in mutants for test in m.tests})
    problem = build(tests)
    if problem:
        sys.exit(f"mutants: the copy does not compile:\n{problem}")
    for test in tests:
        if not passes(test):
            sys.exit(f"mutants: {test} fails without any mistake")


def main():
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    mutants = [Mutant(p) for p in sorted(glob.glob(f"{FOLDER}/*.txt"))]
    mutants = [m for m in mutants if not wanted or m.name in wanted]
    if not mutants:
        sys.exit(f"mutants: none of that name in {FOLDER}")
    bad = 0
    if "--check" in sys.argv[1:]:
        bad = check(mutants)
    else:
        configure(mutants, "--quick" in sys.argv[1:])
        for m in mutants:
            start = time.time()
            caught, by = plant(m)
            bad += not caught
            print(f"{m.name:28} {'caught by' if caught else '*****'} {by} "
                  f"({time.time() - start:.0f} s)", flush=True)
    print(f"mutants: {len(mutants)} mistakes, {bad} problems")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
