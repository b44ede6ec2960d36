#!/usr/bin/env python3
"""Seeds for fuzz_local: corpus/local/seed_*. See fuzz_local.c for the first
byte. Everything here is valid, or nearly."""
import base64
import json
import os
import struct

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus",
                    "local")
VECTORS = os.path.join(HERE, "..", "..", "..", "vectors", "device.json")
ODDS = (11674931554, 2 ** 32)  # floor(e 2^32)
PAYLOADS = {1: b"\2", 2: b"\3", 3: b"\1", 4: b"\xff",
            5: struct.pack("<2i", -9000, 70000)}


def save(name, mode, data):
    with open(os.path.join(HERE, "seed_" + name), "wb") as file:
        file.write(bytes([mode]) + data)


def text(data):
    return base64.b64encode(data).decode()


def floats(*values):
    return text(struct.pack(f"<{len(values)}f", *values))


def words(*values):
    return text(struct.pack(f"<{len(values)}I", *values))


def longs(*values):
    return text(struct.pack(f"<{len(values)}Q", *values))


def real(value):
    return text(struct.pack("<d", value))


def mechanism(kind, **more):
    made = dict(alpha=real(0), buckets=0, den=ODDS[1], kept=0, kind=kind,
                loss=2 ** 50, num=ODDS[0], outputs=0, rank=0, rows=0, shift=0,
                sigma=0, symbols=0, top=0, width=0)
    made.update(more)
    return made


def group(report, mech, place, **more):
    made = dict(what="seed", start=0, length=2 ** 52, partition=0,
                report=report, mechanism=mech, place=place)
    made.update(more)
    return made


def rounds():
    lens = dict(q=2, half=floats(1, 1))
    grid = dict(lens=lens, side=real(0.5), shift=floats(0, 0.25), cells=5)
    points = floats(0, 0, 1, 1)
    codebook = dict(outputs=256, top=90, alpha=real(0.25))
    tree = dict(axis=words(0, 2 ** 32 - 1, 2 ** 32 - 1), left=words(1, 0, 1),
                right=words(2, 0, 0), threshold=floats(0.25, 0, 0))
    made = dict(grid=grid, radius=1, reach=real(1.5), keys=longs(3, 9),
                center=words(0, 1))
    return [
        group(1, mechanism(1, symbols=2, outputs=2),
              dict(kind=2, places=2, lens=lens, tree=tree)),
        group(2, mechanism(2, symbols=12, outputs=4),
              dict(kind=3, places=2, lens=dict(q=2), points=points),
              bands=6, top=real(1), centers=points),
        group(1, mechanism(3, symbols=25, outputs=2, rows=32),
              dict(kind=4, places=25, grid=grid)),
        group(3, mechanism(4, width=3, kept=2, buckets=1, **codebook),
              dict(kind=1, places=1), radii=floats(1)),
        group(4, mechanism(4, width=3, kept=3, buckets=2, outputs=256, top=81,
                           rank=1, alpha=real(0.2)),
              dict(kind=5, places=2, grid=grid, keys=longs(1, 24), reach=real(0)),
              radii=floats(1, 0.5), centers=points),
        group(1, mechanism(1, symbols=3, outputs=3),
              dict(kind=6, places=2, points=points, kept=text(b"\1\0"),
                   creations=[made])),
        group(3, mechanism(5, width=3, kept=2, buckets=1, sigma=34608,
                           shift=0),
              dict(kind=1, places=1), radii=floats(1), delta=real(0.5)),
    ]


def main():
    os.makedirs(HERE, exist_ok=True)
    for kind, payload in PAYLOADS.items():
        save(f"report_{kind}", 0, bytes([ord("k"), 1, kind, 0]) + bytes(20) +
             bytes(range(16)) + payload)
    every = rounds()
    for i, groups in enumerate([[g] for g in every] + [every, []]):
        for at, one in enumerate(groups):
            one.update(start=at << 49, length=1 << 49)
        root = dict(version=3, invited=1000, task=text(bytes(16)), previous=text(bytes(32)),
                    round=i, minimum=100, d=2, groups=groups)
        save(f"round_{i}", 2, json.dumps(root, sort_keys=True,
                                         separators=(",", ":")).encode())
    save("round_deep", 2, b"[" * 3000)
    with open(VECTORS, encoding="utf-8") as file:
        vectors = json.load(file)
    for i in (0, 11):
        save(f"task_{i}", 3, vectors[i]["task"].encode())
        save(f"saved_{i}", 4, bytes.fromhex(vectors[i]["saved"]))
        save(f"round_vector_{i}", 2, vectors[i]["round"].encode())


if __name__ == "__main__":
    main()
