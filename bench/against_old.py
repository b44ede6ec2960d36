#!/usr/bin/env python3
"""CPU time of two builds of kith, in turns: old/new, the median of the pairs.

usage: bench/against_old.py OLD NEW PAIRS -- kith's arguments
--threads 1, --insecure-seed 3 and --quiet are added; output is thrown away.
"""
import os
import statistics
import subprocess
import sys


def cpu(program, arguments):
    child = subprocess.Popen(
        [program, *arguments, "--threads", "1", "--insecure-seed", "3",
         "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, use = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{program} failed: {arguments}")
    return use.ru_utime + use.ru_stime, use.ru_maxrss


def main():
    split = sys.argv.index("--") if "--" in sys.argv else 0
    if split != 4:
        sys.exit(__doc__)
    programs, pairs = sys.argv[1:3], int(sys.argv[3])
    times = {0: [], 1: []}
    peak = [0, 0]
    for pair in range(pairs):
        for which in (0, 1) if pair % 2 == 0 else (1, 0):
            seconds, peak[which] = cpu(programs[which], sys.argv[split + 1:])
            times[which].append(seconds)
    ratios = [old / new for old, new in zip(times[0], times[1])]
    print(f"CPU s old {statistics.median(times[0]):.2f} "
          f"new {statistics.median(times[1]):.2f}, old/new "
          f"{statistics.median(ratios):.3f} (median of {pairs} pairs), "
          f"peak KiB {peak[0]} and {peak[1]}")


if __name__ == "__main__":
    main()
