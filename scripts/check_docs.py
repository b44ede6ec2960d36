#!/usr/bin/env python3
"""The manual says what the program does.

Fails when the options of `kith COMMAND --help` and of its man page differ in
either direction (names, short letters, or whether they take a value), when a
command or an exit status is missing from kith(1), or when an example does not
run. Examples are lines `$ kith ...` in literal blocks; those of a page run in
order in one fresh directory, with the built kith first in PATH. An `Example:`
of --help runs too, beside a rows.csv and, unless it makes one, a model.json.

Environment: KITH (the binary), KITH_SOURCE (the source tree).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

KITH = os.path.abspath(os.environ.get("KITH", "build/tools/kith/kith"))
SOURCE = os.environ.get(
    "KITH_SOURCE", os.path.join(os.path.dirname(__file__), ".."))
MAN = os.path.join(SOURCE, "docs", "man")

problems = []


def help_of(*words):
    run = subprocess.run([KITH, *words, "--help"], capture_output=True,
                         text=True)
    if run.returncode != 0:
        problems.append(f"kith {' '.join(words)} --help exits with "
                        f"{run.returncode}")
    if "(null)" in run.stdout:
        problems.append(f"kith {' '.join(words)} --help prints (null)")
    return run.stdout


def help_options(text):
    """{'--name' or '-x': takes a value} from lines of the option table."""
    found = {}
    line = re.compile(r"^  (?:(-\w), |    )?(--[a-z][a-z-]*)( [A-Z][^ ]*)?"
                      r"(?:  .*)?$")
    for match in filter(None, map(line.match, text.splitlines())):
        for name in match.group(1, 2):
            if name:
                found[name] = match.group(3) is not None
    return found


def man_options(page):
    """The same from the .It lines of an mdoc page."""
    found = {}
    for line in page.splitlines():
        if not line.startswith(".It Fl "):
            continue
        for part in line[len(".It "):].split(" , "):
            match = re.match(r"Fl ([A-Z]|-?[a-z][a-z-]*)( Ar .*)?$", part)
            if not match:
                problems.append(f"cannot read this option: {line}")
                continue
            found["-" + match.group(1)] = match.group(2) is not None
    return found


def commands_of(text):
    body = text.split("Commands\n", 1)[1].split("\n\n", 1)[0]
    return [line.split()[0] for line in body.splitlines()
            if re.match(r"  [a-z]", line)]


def compare(name, text, page):
    shown, written = help_options(text), man_options(page)
    if "--help" not in shown:
        problems.append(f"{name}: no options found in --help")
    for option in sorted(shown.keys() - written.keys()):
        problems.append(f"{name}: {option} is in --help, not in the man page")
    for option in sorted(written.keys() - shown.keys()):
        problems.append(f"{name}: {option} is in the man page, not in --help")
    for option in sorted(shown.keys() & written.keys()):
        if shown[option] != written[option]:
            problems.append(f"{name}: {option}: --help and the man page "
                            f"disagree whether it takes a value")


def examples_of(page):
    literal, found = False, []
    for line in page.splitlines():
        if line.startswith(".Bd -literal"):
            literal = True
        elif line.startswith(".Ed"):
            literal = False
        elif literal and line.startswith("$ kith"):
            found.append(line[2:].replace("\\e", "\\"))
    return found


def run_examples(name, found):
    with tempfile.TemporaryDirectory(prefix="kith-docs-") as folder:
        tools = os.path.join(folder, "bin")
        os.mkdir(tools)
        os.symlink(KITH, os.path.join(tools, "kith"))
        work = os.path.join(folder, "work")
        os.mkdir(work)
        env = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"])
        for command in found:
            # An audit may be wrong once in a thousand times: it has two tries.
            for _ in range(2 if "kith audit " in command else 1):
                run = subprocess.run(["sh", "-c", command], cwd=work, env=env,
                                     capture_output=True, text=True,
                                     timeout=300)
                if run.returncode == 0:
                    break
            if run.returncode != 0:
                problems.append(f"{name}: exit {run.returncode}: {command}\n"
                                f"    {run.stderr.strip()[-400:]}")
                break
    return len(found)


ROWS = "kith generate gaussians --rows 900 --dimension 5 -k 3 -o rows.csv"
MODEL = "kith kmeans -k 3 -e 4 --radius 1 -o model.json rows.csv"


def run_help_examples(name, text):
    """Each in a directory of its own."""
    found = re.findall(r"^Example: (.*?)\n\n", text, re.M | re.S)
    for example in found:
        before = [ROWS] + [MODEL] * ("-o model.json" not in example)
        run_examples(f"{name} --help", before + [example.replace("\n", " ")])
    return len(found)


def lint(path):
    if not shutil.which("mandoc"):
        return
    run = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path],
                         capture_output=True, text=True)
    if run.stdout.strip():
        problems.append(run.stdout.strip())


def main():
    top = help_of()
    commands = commands_of(top)
    pages = {"kith": top}
    pages.update({f"kith-{c}": help_of(c) for c in commands})
    # its own program, built where there is an MPI; it does not start alone
    programs = {"kith-mpi"}
    on_disk = {f[:-2] for f in os.listdir(MAN) if f.endswith(".1")}
    for name in sorted(programs & on_disk):
        lint(os.path.join(MAN, name + ".1"))
    for name in sorted(on_disk - pages.keys() - programs):
        problems.append(f"{name}.1: there is no such command")
    ran = 0
    for name, text in pages.items():
        path = os.path.join(MAN, name + ".1")
        if name not in on_disk:
            problems.append(f"{name}.1 is missing")
            continue
        with open(path, encoding="utf-8") as file:
            page = file.read()
        lint(path)
        compare(name, text, page)
        examples = examples_of(page)
        if not examples:
            problems.append(f"{name}: no examples")
        ran += run_examples(name, examples) + run_help_examples(name, text)
        if name == "kith":
            for command in commands:
                if f".It Cm {command}\n" not in page:
                    problems.append(f"kith.1 does not list {command}")
            for status in range(7):
                if f".It {status}\n" not in page:
                    problems.append(f"kith.1 does not list exit {status}")
    for problem in problems:
        print("check_docs:", problem)
    print(f"check_docs: {len(pages)} pages, {ran} examples, "
          f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
