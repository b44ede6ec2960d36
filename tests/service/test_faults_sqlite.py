#!/usr/bin/env python3
"""Faults on SQLite. KITH_FAULTS: kills during ingest (12; `make faults`: 200)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faults  # noqa: E402

KILLS = int(os.environ.get("KITH_FAULTS", "12"))
done = 0
for attempt in range(1000):
    if done >= KILLS:
        break
    done += faults.kill_during_ingest(faults.sqlite, KILLS - done,
                                      faults.seeded(f"ingest {attempt}"))
print(f"{done} kills during ingest")
faults.kill_at_points(faults.sqlite, faults.seeded("points"))
print(f"killed at {len(faults.POINTS)} points")
faults.stop_under_load(faults.sqlite, max(2, KILLS // 10),
                       faults.seeded("stop"))
faults.flood(faults.sqlite)
print("nothing lost, nothing counted twice")
