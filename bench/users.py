#!/usr/bin/env python3
"""People instead of rows: what one row a person costs (docs/user_level.md).

2,000 people with 2 to 50 rows each, 8 places in 4 dimensions; a person's rows
are at home or, one in five, elsewhere. Prints the cost on all rows of private
models (epsilon 1, delta 1e-6, unit user) over that of the non-private model of
one row each, for several data sets.

    bench/users.py build/release/tools/kith/kith [sets]
"""
import json
import random
import statistics
import subprocess
import sys
import tempfile


def write(path, seed):
    draw = random.Random(seed)
    places = [[draw.uniform(-40, 40) for _ in range(4)] for _ in range(8)]
    with open(path, "w") as f:
        f.write("who,a,b,c,d\n")
        for person in range(2000):
            home = draw.randrange(8)
            for _ in range(draw.randint(2, 50)):
                place = home if draw.random() < .8 else draw.randrange(8)
                f.write("u%d," % person + ",".join("%.4f" % draw.gauss(m, 2) for m in places[place]) + "\n")


def cost(kith, folder, *options):
    model, data = folder + "/m.json", folder + "/u.csv"
    subprocess.run([kith, "kmeans", "-k", "8", "--bounds=-50:50", "--quiet", "--force", "-o", model, *options, data],
                   check=True, stderr=subprocess.DEVNULL)
    said = subprocess.run([kith, "evaluate", "--quiet", model, data], check=True, capture_output=True)
    return json.loads(said.stdout)["cost"]


def main():
    kith, sets = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    ratios, rows = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(sets):
            write(folder + "/u.csv", seed)
            plain = cost(kith, folder, "--non-private", "--user-column", "who")
            ratios.append(cost(kith, folder, "-e", "1", "--delta", "1e-6", "--user-column", "who") / plain)
            rows.append(cost(kith, folder, "-e", "1", "--delta", "1e-6", "--columns", "a,b,c,d") / plain)
    print("people: median %.3f, worst %.3f; rows: median %.3f" % (
        statistics.median(ratios), max(ratios), statistics.median(rows)))


main()
