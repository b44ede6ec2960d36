#!/usr/bin/env python3
"""Example data of the README, the guide and the picture: visits to a doctor.

    scripts/visits.py FOLDER [ROWS]

writes FOLDER/visits.csv (age and systolic blood pressure of nobody, four
groups) and FOLDER/bounds.csv (what the two can be, known without looking).
The same every time. Standard library only.
"""
import os
import random
import sys

AGE, PRESSURE = (0, 110), (60, 220)
GROUPS = [  # share, mean age, sd, mean pressure, sd
    (.4, 28, 5, 116, 8), (.3, 52, 6, 132, 9), (.2, 74, 5, 152, 10),
    (.1, 44, 4, 168, 7)]


def write(folder, rows):
    os.makedirs(folder, exist_ok=True)
    coins = random.Random(4)
    with open(os.path.join(folder, "visits.csv"), "w",
              encoding="utf-8") as file:
        file.write("age,systolic\n")
        for share, age, age_sd, mean, sd in GROUPS:
            for _ in range(round(rows * share)):
                file.write(f"{coins.gauss(age, age_sd):.1f},"
                           f"{coins.gauss(mean, sd):.1f}\n")
    with open(os.path.join(folder, "bounds.csv"), "w",
              encoding="utf-8") as file:
        file.write("lo,hi\n%d,%d\n%d,%d\n" % (*AGE, *PRESSURE))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit("usage: scripts/visits.py FOLDER [ROWS]")
    write(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 20000)
