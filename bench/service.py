#!/usr/bin/env python3
"""Figures of the collection service on either store, in one run with what they
are held against: reports a second, one by one and in bodies, next to the bare
probe (bench_probe.c: HTTP, hashes, group commit and nothing else) and to the same
commits without HTTP (bench_collect.c); several processes; a whole deployment end
to end, held against the simulation and the replay.

usage: bench/service.py [--rows N] [--end-to-end N] [--store sqlite|postgresql]
                        [--processes N] [--place FOLDER]
Needs wrk; PostgreSQL 15 for that store. Both stores are on the disk of --place
(/tmp). Prints lines for bench/RESULTS.md.
"""
import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "build", "release")
os.environ.setdefault("KITH", os.path.join(BUILD, "tools/kith/kith"))
os.environ.setdefault("KITHD", os.path.join(BUILD, "tools/kithd/kithd"))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "service"))
from bed import KITH, Deployment, Postgres, Service, free_ports  # noqa: E402

COLLECT = os.path.join(BUILD, "bench", "bench_collect")
PROBE = os.path.join(BUILD, "bench", "bench_probe")
LUA = """
local file = io.open("%(envelopes)s", "rb")
file:seek("set", %(first)d * 80)
local data = file:read(%(count)d * 80)
file:close()
local at, step = 0, %(batch)d * 80
function request()
  if at + step > #data then at = 0 end
  local body = data:sub(at + 1, at + step)
  at = at + step
  return wrk.format("POST", "/v1/tasks/%(task)s/reports",
    {["Content-Type"] = "application/vnd.kith.report%(many)s"}, body)
end
"""


def without_http(database, rows, batch, senders):
    out = subprocess.run([COLLECT, database, str(rows), str(batch),
                          str(senders)], check=True, capture_output=True,
                         text=True)
    return float(out.stdout)


def over_http(urls, load, connections, seconds):
    """Reports a second and p99 in ms, by wrk; of all services together, each
    with envelopes of its own."""
    runs = []
    each = load["count"] // len(urls)
    for i, url in enumerate(urls):
        script = f"{load['envelopes']}.{i}.lua"
        with open(script, "w", encoding="utf-8") as file:
            file.write(LUA % {**load, "first": i * each, "count": each,
                              "many": "s" if load["batch"] > 1 else ""})
        runs.append(subprocess.Popen(
            ["wrk", "-t1", f"-c{connections // len(urls)}", f"-d{seconds}s",
             "--latency", "-s", script, url],
            stdout=subprocess.PIPE, text=True))
    rate, p99 = 0.0, 0.0
    for run in runs:
        out, _ = run.communicate()
        rate += float(re.search(r"Requests/sec: *([\d.]+)", out).group(1))
        found = re.search(r"99% *([\d.]+)(us|ms|s)", out)
        p99 = max(p99, float(found.group(1)) *
                  {"us": .001, "ms": 1, "s": 1000}[found.group(2)])
        if "Non-2xx" in out:
            print("  refused:", re.search(r"Non-2xx.*", out).group(0))
    return rate * load["batch"], p99


def metric(service, name):
    """The sum of what a service says under a name."""
    text = service.call("GET", "/metrics", admin=True)[2].decode()
    return sum(map(int, re.findall(f"^kith_{name} (\\d+)$", text, re.M)))


def cpu_of(services):
    """CPU seconds of their processes."""
    total = 0
    for service in services:
        with open(f"/proc/{service.process.pid}/stat", encoding="utf-8") as file:
            total += sum(map(int, file.read().split()[13:15]))
    return total / os.sysconf("SC_CLK_TCK")


def kithd_rate(database, folder, rows, case, count):
    """Over HTTP into kithd: rate, p99, CPU us a report, the load."""
    batch, connections, seconds = case
    envelopes = os.path.join(folder, "envelopes")
    task = subprocess.run([COLLECT, database, str(rows), "1", "1", envelopes],
                          check=True, capture_output=True,
                          text=True).stdout.strip()
    services = [Service(folder, database, i) for i in range(count)]
    load = {"envelopes": envelopes, "task": task, "batch": batch,
            "count": os.path.getsize(envelopes) // 80}
    try:
        for service in services:
            service.start()
        before = cpu_of(services)
        rate, p99 = over_http([s.url for s in services], load, connections,
                              seconds)
        cpu = cpu_of(services) - before
        time.sleep(2)  # until each has seen what the others stored
        stored, duplicates = (sum(metric(s, name) for s in services) for name in
                              ('reports_total.result="stored".',
                               'reports_total.result="duplicate".'))
        received = [metric(s, "group_received.*") for s in services]
    finally:
        for service in services:
            service.stop()
    assert duplicates == 0, "more was sent than there was: raise --rows"
    assert received == [stored] * count, (received, stored)
    return rate, p99, 1e6 * cpu / stored, load


def probe_rate(database, load, case):
    """The same load into the bare probe."""
    batch, connections, seconds = case
    port, = free_ports(1)
    probe = subprocess.Popen([PROBE, database, str(port)])
    until = time.time() + 20
    while time.time() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(.01)
    rate, _ = over_http([f"http://127.0.0.1:{port}"], load, connections,
                        seconds)
    probe.terminate()
    probe.wait()
    return rate


def throughput(name, fresh, count, seconds):
    """In turns, since disks change within minutes; medians of the ratios."""
    folder = tempfile.mkdtemp(prefix="kith_bench_")
    print("| | reports/s | of the probe | of the commits without HTTP | "
          "p99, ms | CPU us |\n|---|---|---|---|---|---|")
    try:
        for case, rows in (((1, 64, seconds), count // 3),
                           ((1000, 8, seconds), count)):
            runs = []
            for _ in range(3):
                rate, p99, cpu, load = kithd_rate(fresh(), folder, rows, case,
                                                  1)
                probe = probe_rate(fresh(), load, case)
                bare = without_http(fresh(), count // 3, *case[:2])
                runs.append((rate, rate / probe, rate / bare, p99, cpu, probe,
                             bare))
            rate, probed, bared, p99, cpu, probe, bare = map(
                statistics.median, zip(*runs))
            print(f"| {name}, bodies of {case[0]}, {case[1]} connections | "
                  f"{rate:,.0f} | {probed:.2f} of {probe:,.0f} | "
                  f"{bared:.2f} of {bare:,.0f} | {p99:.1f} | {cpu:.1f} |",
                  flush=True)
            print("   each: " + "; ".join(
                f"{r[0]:,.0f} {r[1]:.2f} {r[2]:.2f} {r[4]:.1f}" for r in runs),
                flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def several(name, fresh, count, seconds, processes):
    """One process and several in turns, single reports and bodies."""
    folder = tempfile.mkdtemp(prefix="kith_bench_")
    try:
        for batch, connections, rows in ((1, 66, count // 3), (1000, 9, count)):
            rates = {1: [], processes: []}
            for number in (1, processes) * 3:
                rates[number].append(kithd_rate(
                    fresh(), folder, rows, (batch, connections, seconds),
                    number)[0])
            one, more = (statistics.median(rates[n]) for n in (1, processes))
            print(f"| {name}, bodies of {batch}, {processes} processes | "
                  f"{more:,.0f} | {more / one:.2f} of one: {one:,.0f} | counts "
                  "exact in each |", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end_to_end(name, fresh, rows):
    deployment = Deployment(rows, 20)
    service = Service(deployment.folder, fresh())
    service.start()
    deployment.create(service)
    began = time.time()
    player = deployment.respond(service)
    out, _ = player.communicate()
    took = time.time() - began
    print(f"  {took:.0f} s", flush=True)
    model = deployment.judge(service)
    archive = os.path.join(deployment.folder, "archive.bin")
    subprocess.run([KITH, "local", "archive", "--server", service.operator,
                    "--token-file", service.token_file, "--task",
                    deployment.name, "-o", archive], check=True)
    replayed = subprocess.run([KITH, "local", "replay", archive], check=True,
                              capture_output=True, text=True).stdout
    _, _, body = service.call("GET", f"/v1/tasks/{deployment.name}/result")
    same = replayed.strip() == body.decode().strip()
    print(f"| {name}, {rows:,} devices, d = 20, {len(model['rounds'])} rounds, "
          f"end to end | {took:.0f} s | equal to simulate; replay "
          f"{'equal' if same else 'DIFFERS'} |", flush=True)
    print("  ", out.strip())
    service.stop()
    deployment.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1200000)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--place", default="/tmp")
    parser.add_argument("--end-to-end", type=int, default=0)
    parser.add_argument("--store", choices=("sqlite", "postgresql"),
                        default="sqlite")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="kith_bench_", dir=given.place)
    postgres = Postgres(given.place) if given.store == "postgresql" else None
    count = 0

    def fresh():
        nonlocal count
        count += 1
        return postgres.fresh() if postgres else f"sqlite:{folder}/{count}.db"

    try:
        if given.processes:
            several(given.store, fresh, given.rows, given.seconds,
                    given.processes)
        elif given.rows:
            throughput(given.store, fresh, given.rows, given.seconds)
        if given.end_to_end:
            end_to_end(given.store, fresh, given.end_to_end)
    finally:
        if postgres:
            postgres.close()
        shutil.rmtree(folder, ignore_errors=True)


main()
