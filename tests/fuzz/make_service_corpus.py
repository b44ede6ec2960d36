#!/usr/bin/env python3
"""Writes corpus/service/seed_*: doors of the service (fuzz_service.c).

usage: make_service_corpus.py [FOLDER [COUNT]]    (COUNT more, at random)
"""
import os
import random
import struct
import sys

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "corpus", "service")
more = int(sys.argv[2]) if len(sys.argv) > 2 else 0
coins = random.Random(14)
os.makedirs(folder, exist_ok=True)


def envelope(how, group, kind, number):
    report = bytes([ord("k"), 1, kind, 0]) + bytes(16) + struct.pack(
        "<HH", 0, group) + bytes(16) + number
    return (bytes([0, how, 1, len(report), 0, 0]) + coins.randbytes(16) +
            bytes(16) + report + bytes(44 - len(report)))


def archive(rounds):
    task = b'{"bounds":{'
    return (b"\x01" + struct.pack("<QI", 100, len(task)) + task +
            struct.pack("<I", 0) + struct.pack("<I", rounds) +
            struct.pack("<I", 2) + b"{}" + struct.pack("<I", 1) +
            struct.pack("<IQ", 17, 1) + bytes(17))


seeds = []
for i in range(24):
    seeds.append(envelope(14, i % 3, 1 + i % 4, bytes([i])))
for how in (0, 2, 4, 6, 10, 12):
    seeds.append(envelope(how, 0, 4, b"\x01"))
seeds += [envelope(14, 0, 4, b"\xff\xff"), envelope(14, 65535, 4, b"\0")]
seeds += [archive(n) for n in (0, 1, 2, 64, 65, 2 ** 32 - 1)]
seeds += [b"\x02" + b"A" * 22, b"\x02", b"\x02" + bytes(22), b"\x03{}",
          b"\x03" + b'{"bounds":{"center":"AAAAAAAAAAA="']
seeds += [b"\x04" + bytes([how]) + bytes(count) for how, count in
          ((2, 16), (0, 16), (2, 32), (2, 15), (6, 16), (0, 16000))]
for i in range(more):
    data = bytearray(coins.choice(seeds[:32]))
    for _ in range(coins.randrange(1, 6)):
        data[coins.randrange(1, len(data))] = coins.randrange(256)
    seeds.append(bytes(data[:coins.randrange(2, len(data) + 1)]))
for i, seed in enumerate(seeds):
    with open(os.path.join(folder, f"seed_{i:02}"), "wb") as file:
        file.write(seed)
