#!/usr/bin/env python3
"""Write the seeds of tests/fuzz/corpus/readers (see fuzz_readers.c).

Byte 0: bits 0-1 format (csv tsv npy svmlight), bit 2 drop missing, bits 3-4
header (auto yes no), bit 5 columns, bit 6 two of them, bit 7 two shards.
Byte 1: size of the small reads. The rest is the file.
zstd is not in the standard library, so its frames hold raw blocks.
"""
import gzip
import os
import struct

CSV, TSV, NPY, SVM = 0, 1, 2, 3
DROP, YES, NO, COLUMNS, TWO, SHARDS = 4, 8, 16, 32, 64, 128


def npy(descr, shape, data, fortran=False, version=1, header=None):
    if header is None:
        header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (
            descr, fortran, shape)
    start = 10 if version == 1 else 12
    raw = header.encode() + b"\n"
    raw = raw[:-1] + b" " * (-(start + len(raw)) % 64) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(raw))
    return b"\x93NUMPY" + bytes([version, 0]) + size + raw + data


def gz(data):
    return gzip.compress(data, mtime=0)


def zst(data):
    # One frame: single segment, 4-byte content size, one raw last block.
    block = (len(data) << 3 | 1).to_bytes(3, "little")
    return (b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) + block +
            data)


floats = struct.pack("<4f", 1, -2.5, float("nan"), 4)
table = b"a,b,c\n1,2,3\n4,5,6\n"
SEEDS = {
    "csv_plain": (CSV, b"1,2\n3,4\n"),
    "csv_header": (CSV, table),
    "csv_crlf_bom": (CSV, b"\xef\xbb\xbfx,y\r\n1,2\r\n\r\n3,4\r"),
    "csv_quotes": (CSV, b'"a","b, ""c"""\n"1", "2" \n3,4\n'),
    "csv_newline_in_quotes": (CSV | COLUMNS, b'a,b\n1,"x\ny"\n2,z\n'),
    "csv_columns_by_name": (CSV | COLUMNS | TWO, b"a,b,1\n1,2,3\nx,4,5\n"),
    "csv_missing_error": (CSV, b"1,2\nNA,4\n"),
    "csv_missing_drop": (CSV | DROP, b"1,2\nNA,4\n,\ninf,1\nn/a,nan\n5,6\n"),
    "csv_no_header": (CSV | NO, b"x,1\n2,3\n"),
    "csv_forced_header": (CSV | YES, b"1,2\n3,4\n"),
    "csv_numbers": (CSV, b"9007199254740993,1e22,1e23,4.9e-324,1e999\n"
                    b".5,5.,-0,+1E-5,18446744073709551616\n"),
    "csv_long_digits": (CSV, b"0." + b"0" * 40 + b"1234567890123456789012\n"
                        b"1" + b"0" * 60 + b"\n3e-99999999999\n"),
    "csv_ragged": (CSV, b"1,2\n3\n"),
    "csv_word": (CSV, b"a,b\n1,oops\n"),
    "csv_open_quote": (CSV, b'1,"2\n3,4\n'),
    "csv_after_quote": (CSV, b'1,"2"3\n'),
    "csv_nul": (CSV, b"1,2\n3,\0\n"),
    "csv_empty": (CSV, b""),
    "csv_two_shards": (CSV | SHARDS, b"1,2\n3,4\n"),
    "csv_gz": (CSV, gz(table)),
    "csv_gz_members": (CSV, gz(b"1,2\n3,") + gz(b"4\n")),
    "csv_gz_cut": (CSV, gz(table)[:-5]),
    "csv_gz_tail": (CSV, gz(table) + b"tail"),
    "csv_zst": (CSV, zst(table)),
    "csv_zst_frames": (CSV, zst(b"1,2\n3") + zst(b",4\n")),
    "csv_zst_cut": (CSV, zst(table)[:-3]),
    "tsv_plain": (TSV, b"a\tb\n1\t 2 \n3\t4"),
    "tsv_missing": (TSV | DROP, b"1\t2\n\t\n3\t4\n"),
    "npy_f4": (NPY, npy("<f4", (2, 2), floats)),
    "npy_f4_drop": (NPY | DROP, npy("<f4", (2, 2), floats)),
    "npy_f8_big": (NPY, npy(">f8", (3,), struct.pack(">3d", 1, 2, 3))),
    "npy_f2": (NPY, npy("<f2", (2, 1), b"\0\x3c\x01\0", version=2)),
    "npy_fortran": (NPY | COLUMNS, npy("<i2", (3, 2), bytes(range(12)), True)),
    "npy_u1_v3": (NPY, npy("|u1", (2, 3), bytes(6), version=3)),
    "npy_i8": (NPY, npy("<i8", (1, 2), b"\xff" * 16)),
    "npy_gz": (NPY, gz(npy("|b1", (4, 1), b"\0\1\1\0", True))),
    "npy_short": (NPY, npy("<f8", (9, 9), b"12345")),
    "npy_tail": (NPY, npy("<f4", (1, 1), bytes(5))),
    "npy_huge": (NPY, npy("<f8", (1 << 62, 4), bytes(8))),
    "npy_huge_fortran": (NPY, npy("<f8", (1 << 40, 1000), bytes(8), True)),
    "npy_no_rows": (NPY, npy("<f8", (0, 3), b"")),
    "npy_structured": (NPY, npy("", (), b"", header="{'descr': [('a', '<f4')]"
                                ", 'fortran_order': False, 'shape': (1,)}")),
    "npy_twice": (NPY, npy("", (), b"", header="{'descr': '<f4', 'descr': "
                           "'<f4', 'fortran_order': False, 'shape': (1,)}")),
    "npy_long_header": (NPY, b"\x93NUMPY\x02\0\xff\xff\xff\x7f{"),
    "svm_plain": (SVM, b"1 1:2 3:4.5\n-1 2:1e-3 # c\n0 qid:3 50:1\n\n2\n"),
    "svm_missing": (SVM | DROP, b"1 1:nan 2:1\n1 2:3\n"),
    "svm_zero": (SVM, b"1 0:1\n"),
    "svm_order": (SVM, b"1 3:1 2:1\n"),
    "svm_large": (SVM, b"1 99999999999999999999:1\n"),
    "svm_no_label": (SVM, b"1:2 2:3\n"),
    "svm_bad_value": (SVM, b"1 1:x\n"),
    "svm_gz": (SVM, gz(b"1 1:1\n1 2:2\n")),
}

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    where = os.path.join(here, "corpus", "readers")
    os.makedirs(where, exist_ok=True)
    for i, (name, (options, data)) in enumerate(sorted(SEEDS.items())):
        with open(os.path.join(where, "seed_" + name), "wb") as f:
            f.write(bytes([options, i]) + data)
