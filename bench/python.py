#!/usr/bin/env python3
"""The Python package against the command: CPU of a fit, memory above X, time
to import, time from Ctrl-C to the exception. One core, runs taken in turns.

    bench/python.py BUILD [RUNS]      e.g. bench/python.py build/release 5

MNIST of KITH_DATA (bench/README.md); without it, rows of the same shape.
"""
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

# A virtual machine gives free blocks of 2 MiB back to its host after two
# seconds (/sys/module/page_reporting), and who takes such a block next pays for
# it in system time: .27 s for 100 MiB, where a block that is still there costs
# .009 s. NumPy asks for large pages too, so X takes the blocks that the command
# before has left, and the fit would pay for what the command gets for nothing.
# So that both pay alike, more blocks than either needs are taken and freed
# right before each. (Pages of 4 KiB do not do: they are not joined again.)
LEVEL = """
import mmap
blocks = mmap.mmap(-1, 600 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
blocks.madvise(mmap.MADV_HUGEPAGE)
for at in range(0, 600 << 20, 4096):
    blocks[at] = 1
blocks.close()
"""
CHILD = """
import resource, re, sys, time
import numpy as np
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)",
                         open("/proc/self/status").read())[1])
import kith, warnings
warnings.simplefilter("ignore")
model = kith.KMeans(10, epsilon=1, delta=1e-6, radius=float(sys.argv[2]),
                    threads=1, insecure_seed=1)
"""
FIT = CHILD + """
X = np.load(sys.argv[1]).astype(sys.argv[3], order=sys.argv[4])
model.fit(X[:2000])
""" + LEVEL + """
open("/proc/self/clear_refs", "w").write("5")
before, now = cpu(), kilobytes("VmRSS")
model.fit(X)
print(cpu() - before, kilobytes("VmHWM") - now)
"""
# CPU seconds, not the clock: others may be using the machine.
STOP = CHILD + """
import os, signal, threading
X = np.load(sys.argv[1])
shot = []
def shoot():
    wait = float(sys.argv[3])
    end = cpu() + wait
    while cpu() < end:
        time.sleep(.002)
    shot.append(cpu())
    os.kill(os.getpid(), signal.SIGINT)
thread = threading.Thread(target=shoot)
thread.start()
try:
    model.fit(X)
    print("over")
except KeyboardInterrupt:
    print(cpu() - shot[0])
thread.join()
"""

# Between two looks at signals: what cannot be stopped.
GAPS = CHILD + """
X = np.load(sys.argv[1])[:20000]
E = {"epsilon": 1, "delta": 1e-6, "radius": float(sys.argv[2])}
for name, model in {
        "auto": kith.KMeans(10, **E),
        "lloyd": kith.KMeans(10, method="lloyd", **E),
        "balcan": kith.KMeans(10, method="balcan", **E),
        "k-median": kith.KMedians(10, **E),
        "planes": kith.SubspaceClustering(5, 3, **E),
        "sulq": kith.SubspaceClustering(3, 3, method="sulq", rounds=3, **E),
        "mincost": kith.SubspaceClustering(2, 2, method="mincost", rounds=100,
                                           **E),
        "local": kith.LocalSimulation(5, epsilon=1, radius=E["radius"])}.items():
    seen = [cpu()]
    model.set_params(threads=1, progress=lambda a, b: seen.append(cpu()))
    model.fit(X)
    print(f"{name}:{np.diff(seen + [cpu()]).max():.2f}")
"""


def child(program, build, *arguments):
    env = {**os.environ, "PYTHONPATH": os.path.join(build, "python"),
           "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", program, *map(str, arguments)],
                          env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()


def command(build, rows, radius):
    """CPU seconds of the whole command."""
    subprocess.run([sys.executable, "-c", LEVEL], check=True)
    before = os.times()
    subprocess.run([os.path.join(build, "tools/kith/kith"), "kmeans", "-k",
                    "10", "-e", "1", "--delta", "1e-6", "--radius",
                    str(radius), "--threads", "1", "--quiet",
                    "--insecure-seed", "1", "-o", os.devnull, rows],
                   check=True, stderr=subprocess.DEVNULL)
    after = os.times()
    return (after.children_user + after.children_system
            - before.children_user - before.children_system)


def main():
    build, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    data = os.path.join(os.environ.get("KITH_DATA", ""), "mnist/mnist.npy")
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.npy")
        if os.path.exists(data):
            X = np.load(data).reshape(-1, 784).astype(np.uint8)
        else:
            X = np.random.default_rng(0).integers(0, 256, (70000, 784),
                                                  dtype=np.uint8)
        np.save(rows, X)
        radius, quantised = 9000.0, X.size * 2 / 2 ** 20
        pairs = []
        for _ in range(runs):
            fit = float(child(FIT, build, rows, radius, "u1", "C")[0])
            pairs.append((fit, command(build, rows, radius)))
        ratio = statistics.median(p / c for p, c in pairs)
        best = min(p for p, _ in pairs), min(c for _, c in pairs)
        print(f"CPU of a fit / the command's: {best[0] / best[1]:.3f} (best "
              f"of {runs}: {best[0]:.2f} s, {best[1]:.2f} s; others only add), "
              f"median of pairs {ratio:.3f}")
        for kind in ("u1", "f4", "f8"):
            for order in "CF":
                peak = int(child(FIT, build, rows, radius, kind, order)[1])
                print(f"peak above X, {kind}, order {order}: "
                      f"{peak / 1024:.0f} MiB (quantised rows: "
                      f"{quantised:.0f} MiB, limit "
                      f"{1.2 * quantised + 16:.0f})")
        late = []
        for at in np.linspace(.05, .9 * min(p for p, _ in pairs), 12):
            word = child(STOP, build, rows, radius, at)[0]
            if word != "over":
                late.append(float(word))
        print(f"Ctrl-C, CPU seconds to the exception, {len(late)} shots: "
              f"median {statistics.median(late):.3f}, worst {max(late):.3f}")
        print("longest stretch without a look at signals, CPU s, 20,000 rows: "
              + ", ".join(child(GAPS, build, rows, radius)))
    program = ("import time; import sys; a = time.process_time(); import kith; "
               "print(time.process_time() - a)")
    times = [float(child(program, build)[0]) for _ in range(runs)]
    print(f"import kith: {statistics.median(times):.3f} CPU s")


if __name__ == "__main__":
    main()
