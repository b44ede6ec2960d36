"""Seeded runs give what is recorded in tests/vectors/golden.json.

kith, work folder, --write: record. Compared are receipts, weights, and centres
or projections, within a millionth: BLAS kernels differ in the last digits from
one processor to another, and a plane's sign with them. Of `subspace auto` the
receipts only: its fit starts many times, and which of two equal fits wins
depends on such a digit.
"""
import json
import os
import subprocess
import sys

RUNS = {
    "lloyd": "kmeans --method lloyd -k 3 -e 1",
    "lloyd, gaussian": "kmeans --method lloyd -k 3 -e 1 --delta 1e-6",
    "lloyd, replace-one": "kmeans --method lloyd -k 3 -e 1 --no-header "
                          "--adjacency replace-one",
    "balcan": "kmeans --method balcan -k 3 -e 2",
    "balcan, gaussian": "kmeans --method balcan -k 3 -e 2 --delta 1e-6",
    "kmedian": "kmedian --method balcan -k 3 -e 2 --delta 1e-6",
    "kvariates": "kmeans --method kvariates -k 3 -e 4",
    "sample-aggregate": "kmeans --method sample-aggregate -k 3 -e 4",
    "sulq": "subspace --method sulq -k 2 -q 2 -e 8 --delta 1e-6",
    "subspace auto": "subspace --method auto -k 2 -q 2 -e 8 --delta 1e-6",
    "local": "local simulate --method one-round -k 3 -e 4 --no-header "
             "--columns 1,2",
}
RECEIPTS_ONLY = {"subspace auto"}
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                      "vectors", "golden.json")
NEAR = 1e-6


def write_rows(path):
    """1500 rows about three points, from integers alone."""
    points = ((5, 1, -4, 2, 0, 3), (-5, 4, 1, -3, 2, 0), (1, -6, 3, 5, -4, -2))
    word = 12345
    with open(path, "w", encoding="ascii") as file:
        for i in range(1500):
            row = []
            for at in points[i % 3]:
                tenths = at * 1000
                for _ in range(4):
                    word = (word * 1103515245 + 12345) % 2**31
                    tenths += 5 * ((word >> 16) % 201 - 100)
                row.append(f"{tenths / 10000:.4f}")
            file.write(",".join(row) + "\n")


def facts(model, name):
    """What is compared of a model: a list of texts and numbers."""
    out = []
    for release in model["privacy"]["releases"]:
        flat = [release]
        while flat:
            value = flat.pop(0)
            if isinstance(value, dict):
                flat = [value[key] for key in sorted(value)] + flat
            elif isinstance(value, (int, float, str)):
                out.append(value)
    if name in RECEIPTS_ONLY:
        return out
    out += model.get("weights") or []
    for center in model.get("centers") or []:
        out += center
    for basis in model.get("bases") or []:  # features x q
        out += [sum(x * y for x, y in zip(a, b))
                for i, a in enumerate(basis) for b in basis[:i + 1]]
    return out


def brief(value):
    return value if isinstance(value, str) else float(f"{value:.9g}")


def same(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(a - b) <= NEAR * max(1, abs(a))


def main():
    kith, work = sys.argv[1:3]
    rows = os.path.join(work, "golden.csv")
    write_rows(rows)
    got = {}
    for name, words in RUNS.items():
        run = subprocess.run(
            [kith, *words.split(), "--bounds", "-1:1", "--insecure-seed", "7",
             "--threads", "1", rows], capture_output=True, check=False)
        if run.returncode:
            sys.exit(f"{name}: {run.stderr.decode()}")
        got[name] = [brief(v) for v in facts(json.loads(run.stdout), name)]
    if "--write" in sys.argv:
        with open(GOLDEN, "w", encoding="ascii") as file:
            file.write("{\n" + ",\n".join(
                f"{json.dumps(name)}:\n{json.dumps(values)}"
                for name, values in got.items()) + "\n}\n")
        return
    with open(GOLDEN, encoding="ascii") as file:
        want = json.load(file)
    wrong = [name for name in {**want, **got}
             if len(want.get(name, [])) != len(got.get(name, []))
             or not all(map(same, want[name], got[name]))]
    if wrong:
        sys.exit("other results than recorded: " + "; ".join(wrong)
                 + "\nIf that is meant, say so in CHANGELOG.md and run "
                 "tests/cli/golden.py KITH FOLDER --write")


if __name__ == "__main__":
    main()
