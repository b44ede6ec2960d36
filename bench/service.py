#!/usr/bin/env python3
"""Figures of the collection service: reports a second, one by one and in bodies,
on either store, next to the same commits without HTTP measured in the same run;
several processes; a whole deployment end to end, held against the simulation.

usage: bench/service.py [--rows N] [--end-to-end N] [--store sqlite|postgresql]
Needs wrk; PostgreSQL 15 for that store. Prints lines for bench/RESULTS.md.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "build", "release")
os.environ.setdefault("KITH", os.path.join(BUILD, "tools/kith/kith"))
os.environ.setdefault("KITHD", os.path.join(BUILD, "tools/kithd/kithd"))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "service"))
from bed import KITH, Deployment, Postgres, Service  # noqa: E402

COLLECT = os.path.join(BUILD, "bench", "bench_collect")
LUA = """
local file = io.open("%(envelopes)s", "rb")
local data = file:read("*a")
file:close()
local batch, threads = %(batch)d, %(threads)d
local counter, at, step = 0, 0, 0
function setup(thread)
  thread:set("first", counter)
  counter = counter + 1
end
function init(args)
  at = first * batch * 80
  step = threads * batch * 80
end
function request()
  if at >= #data then at = first * batch * 80 end
  local body = data:sub(at + 1, at + batch * 80)
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


def over_http(services, folder, envelopes, task, batch, connections, seconds):
    """Reports a second and p99 in ms, by wrk; of all services together."""
    runs = []
    for i, service in enumerate(services):
        script = os.path.join(folder, f"load{i}.lua")
        with open(script, "w", encoding="utf-8") as file:
            file.write(LUA % {"envelopes": envelopes, "batch": batch,
                              "threads": 1, "task": task,
                              "many": "s" if batch > 1 else ""})
        runs.append(subprocess.Popen(
            ["wrk", "-t1", f"-c{connections // len(services)}",
             f"-d{seconds}s", "--latency", "-s", script, service.url],
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
    return rate * batch, p99


def throughput(name, fresh, count, seconds):
    folder = tempfile.mkdtemp(prefix="kith_bench_")
    try:
        for batch, connections, rows in ((1, 64, count // 8),
                                         (1000, 8, count)):
            before = without_http(fresh(), rows, batch, connections)
            database = fresh()
            envelopes = os.path.join(folder, "envelopes")
            task = subprocess.run(
                [COLLECT, database, str(rows), "1", "1", envelopes],
                check=True, capture_output=True, text=True).stdout.strip()
            service = Service(folder, database)
            service.start()
            rate, p99 = over_http([service], folder, envelopes, task, batch,
                                  connections, seconds)
            service.stop()
            after = without_http(fresh(), rows, batch, connections)
            bare = (before + after) / 2
            print(f"| {name}, bodies of {batch}, {connections} connections | "
                  f"{rate:,.0f} | {bare:,.0f} | {rate / bare:.2f} | "
                  f"{p99:.1f} |", flush=True)
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
    model = deployment.judge(service)
    archive = os.path.join(deployment.folder, "archive.bin")
    subprocess.run([KITH, "local", "archive", "--server", service.operator,
                    "--token-file", service.token_file, "--task",
                    deployment.name, "-o", archive], check=True)
    replayed = subprocess.run([KITH, "local", "replay", archive], check=True,
                              capture_output=True, text=True).stdout
    same = json.loads(replayed) == model
    print(f"| {name}, {rows:,} devices, d = 20, {len(model['rounds'])} rounds, "
          f"end to end | {took:.0f} s | equal to simulate; replay "
          f"{'equal' if same else 'DIFFERS'} |", flush=True)
    print("  ", out.strip())
    service.stop()
    deployment.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=400000)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--end-to-end", type=int, default=0)
    parser.add_argument("--store", choices=("sqlite", "postgresql"),
                        default="sqlite")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="kith_bench_")
    postgres = Postgres() if given.store == "postgresql" else None
    count = 0

    def fresh():
        nonlocal count
        count += 1
        return postgres.fresh() if postgres else f"sqlite:{folder}/{count}.db"

    try:
        if given.rows:
            print("| | over HTTP, reports/s | without HTTP | ratio | p99, ms |")
            print("|---|---|---|---|---|")
            throughput(given.store, fresh, given.rows, given.seconds)
        if given.end_to_end:
            end_to_end(given.store, fresh, given.end_to_end)
    finally:
        if postgres:
            postgres.close()
        shutil.rmtree(folder, ignore_errors=True)


main()
