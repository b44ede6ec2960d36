#!/usr/bin/env python3
"""Write the seeds of tests/fuzz/corpus/uri (see fuzz_uri.c): addresses of
ledgers, and files after them. The ledger is the stored one of tests/vectors,
in pages of 512 bytes."""
import os
import sqlite3
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

ADDRESSES = {
    "empty": "", "memory": "memory:", "no_path": "sqlite:", "new": "sqlite:a.db",
    "sqlite_memory": "sqlite::memory:", "sqlite_uri": "sqlite:file:a.db?nolock=1",
    "sqlite_uri_memory": "sqlite:file:x?mode=memory&cache=shared",
    "sqlite_vfs": "sqlite:file:a.db?vfs=unix-none", "dot": "sqlite:.",
    "blank": "sqlite: ", "bytes": "sqlite:\x01\x7f%00", "upper": "SQLite:a.db",
    "long": "sqlite:" + "a" * 300, "file": "file:a.db", "http": "http://a/b",
    "pg": "postgresql://", "pg_all":
        "postgresql://u:p%40@[::1]:5432,h:1/d?sslmode=verify-full&options=-c%20a",
    "pg_short": "postgres://h/d", "pg_percent": "postgresql://h/%", "pg_nul":
        "postgresql://h/%00", "pg_port": "postgresql://h:99999999999/d",
    "pg_key": "postgresql://h/d?nothing=1", "pg_bracket": "postgresql://[::1/d",
    "pg_hosts": "postgresql://" + "," * 200, "pg_one_slash": "postgresql:/h",
}


def ledger():
    """The stored ledger as a file of SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.db")
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size = 512")
        with open(os.path.join(HERE, "..", "vectors", "ledger-1.sql"),
                  encoding="utf-8") as sql:
            db.executescript(sql.read())
        db.close()
        with open(path, "rb") as file:
            return file.read()


def main():
    where = os.path.join(HERE, "corpus", "uri")
    os.makedirs(where, exist_ok=True)
    whole = ledger()
    flipped = bytearray(whole)
    for at in range(700, len(flipped), 997):
        flipped[at] ^= 0x10
    files = {"whole": whole, "cut": whole[:len(whole) // 2 + 7],
             "head": whole[:100], "flipped": bytes(flipped),
             "newer": whole.replace(b"schema1", b"schema9"),
             "nothing": b"", "text": b"not a ledger\n" * 40}
    seeds = {name: text.encode("latin-1") for name, text in ADDRESSES.items()}
    for name, content in files.items():
        seeds["file_" + name] = b"sqlite:a.db\n" + content
    for name, content in seeds.items():
        with open(os.path.join(where, "seed_" + name), "wb") as file:
            file.write(content)


main()
