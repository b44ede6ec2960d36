#!/usr/bin/env python3
"""Faults on PostgreSQL, one process and several. KITH_FAULTS_PG: kills during
ingest (3; `make faults`: 40)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faults  # noqa: E402
from bed import Postgres  # noqa: E402

KILLS = int(os.environ.get("KITH_FAULTS_PG", "3"))
postgres = Postgres()


def database(_):
    return postgres.fresh()


def repeat(what, name):
    done = 0
    for attempt in range(1000):
        if done >= KILLS:
            break
        done += what(KILLS - done, faults.seeded(f"{name} {attempt}"))
    return done


try:
    print(repeat(lambda n, c: faults.kill_during_ingest(database, n, c),
                 "ingest"), "kills during ingest")
    few = faults.POINTS if KILLS > 6 else ("after commit",
                                            "inside advance")
    faults.kill_at_points(database, faults.seeded("points"), few)
    print(f"killed at {len(few)} points")
    print(faults.count_together(postgres, 3, faults.seeded("together")),
          "reports to 3 processes: each counts all of them once")
    for count in (2, 3):
        print(repeat(lambda n, c: faults.kill_in_turn(database, count, n, c),
                     f"{count} processes"), f"kills of {count} processes")
    faults.restart_store(postgres, max(2, KILLS // 2), faults.seeded("store"))
    print("PostgreSQL restarted under load")
    print("COMMIT cut off:", faults.cut_inside_commit(
        postgres, max(6, KILLS // 2), faults.seeded("commit")))
    faults.stop_under_load(database, max(2, KILLS // 2),
                           faults.seeded("stop"))
    faults.flood(database)
    print("nothing lost, nothing counted twice")
finally:
    postgres.close()
