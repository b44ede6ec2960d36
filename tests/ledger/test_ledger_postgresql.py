#!/usr/bin/env python3
"""The ledger in PostgreSQL: the suite of every store, kills, races and stops of
the server (T24, T27, T30), answers that are lost on the way, roles (T21), an
edited ledger (T29), copies (T22). KITH_LEDGER_KILLS (10) and KITH_LEDGER_STOPS
(1) say how often; `make ledger-faults`: 300 and 8."""
import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from postgres import POSTGRESQL, Postgres  # noqa: E402

KITH = os.environ["KITH"]
TESTS = os.path.join(os.environ["KITH_BUILD"], "tests")
CREATE = ["--dataset", "visits", "--unit", "row", "--adjacency", "add-remove",
          "-e", "4", "--delta", "1e-6", "--pure", "1"]
RUN = ["kmeans", "-k", "2", "--radius", "1", "--quiet", "--force", "rows.csv"]


def kith(code, *words, says=None):
    done = subprocess.run([KITH, *words], capture_output=True, text=True,
                          check=False)
    text = done.stdout + done.stderr
    if done.returncode != code or (says and not re.search(says, text)):
        sys.exit(f"FAILED: kith {' '.join(words)}: exit {done.returncode}, "
                 f"not {code} and '{says}':\n{text}")
    return done.stdout


def psql(url, sql, check=True):
    return subprocess.run(["psql", "-qAt", "-v", "ON_ERROR_STOP=1", url, "-c",
                           sql], check=check, capture_output=True,
                          text=True)


def charges(url, account="visits"):
    lines = kith(0, "budget", "export", account, "--ledger", url).splitlines()
    return [e for e in map(json.loads, lines) if e["body"]["kind"] == "charge"]


class Proxy:
    """Between client and server; loses things on the connections that ask for
    a charge for the first time. lose: the answer, the question, or late (the
    question comes when another connection has charged already)."""

    def __init__(self, port, lose):
        self.to, self.lose, self.cut = port, lose, 0
        self.late, self.unheard = [], queue.Queue()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.to))
            threading.Thread(target=self.talk, args=(client, server),
                             daemon=True).start()

    def talk(self, client, server):
        doomed = threading.Event()

        def back():
            while data := server.recv(65536):
                if doomed.is_set():  # the answer is there, too late
                    self.unheard.put(data)
                    break
                client.sendall(data)
            client.close()
        answers = threading.Thread(target=back, daemon=True)
        answers.start()
        try:
            while data := client.recv(65536):
                if b"kith_charge" in data and not self.cut:
                    self.cut += 1
                    doomed.set()
                    if self.lose == "late":
                        self.late.append((server, data))
                        client.shutdown(socket.SHUT_RDWR)
                        return
                    if self.lose == "question":
                        client.shutdown(socket.SHUT_RDWR)
                        break
                    server.sendall(data)
                    answers.join()
                    return
                server.sendall(data)
        except OSError:
            pass
        server.close()


def lost_on_the_way(postgres):
    """T10, T27: by its run id a process finds out whether it has paid."""
    for lose in ("answer", "question", "late"):
        url = postgres.fresh()
        kith(0, "budget", "create", "visits", "--ledger", url, "--new-ledger",
             *CREATE)
        proxy = Proxy(postgres.port, lose)
        through = url.replace(f":{postgres.port}/", f":{proxy.port}/")
        kith(0, *RUN, "-e", "1", "--delta", "1e-6", "--ledger", through,
             "--account", "visits", "-o", "m.json")
        assert proxy.cut == 1, "nothing was lost"
        for server, data in proxy.late:  # a late twin: its id is taken
            server.sendall(data)
            answer = proxy.unheard.get(timeout=120)
            assert b"KT001" in answer and b"twice" in answer, answer
            server.close()
        paid = charges(url)
        assert len(paid) == 1, f"{lose}: charged {len(paid)} times"
        kith(0, "verify", "--ledger", url, "m.json")
        kith(0, "budget", "verify", "--ledger", url)
        proxy.listener.close()


def must_sync(postgres):
    url = postgres.fresh()
    kith(0, "budget", "create", "visits", "--ledger", url, "--new-ledger",
         *CREATE)
    def turn(setting, value):
        """Until who connects now gets it: the server takes its time."""
        psql(url, f"ALTER SYSTEM SET {setting} = {value}")
        psql(url, "SELECT pg_reload_conf()")
        for _ in range(600):
            if psql(url, f"SHOW {setting}").stdout.strip() == value:
                return
            time.sleep(.1)
        raise AssertionError(f"{setting} never was {value}")

    for setting in ("fsync", "full_page_writes"):
        turn(setting, "off")
        kith(5, "budget", "show", "visits", "--ledger", url, says="fsync")
        turn(setting, "on")
    kith(0, "budget", "show", "visits", "--ledger", url)


def roles(postgres):
    """T21: runners charge in their own name and do nothing else."""
    url = postgres.fresh()
    kith(5, "budget", "show", "visits", "--ledger", url, says="no ledger in")
    kith(0, "budget", "create", "visits", "--ledger", url, "--new-ledger",
         *CREATE)
    kith(5, "budget", "create", "other", "--ledger", url, "--new-ledger",
         *CREATE, says="already")
    psql(url, "CREATE ROLE ana LOGIN IN ROLE kith_runner; CREATE ROLE boss "
              "LOGIN IN ROLE kith_owner; CREATE ROLE eve LOGIN IN ROLE "
              "kith_reader; CREATE ROLE nobody LOGIN")
    ana, boss, eve, nobody = (url.replace("kith@", who + "@") for who in
                              ("ana", "boss", "eve", "nobody"))
    pay = ["--account", "visits", "-e", ".1", "--delta", "1e-6"]
    kith(0, *RUN, *pay, "--ledger", ana, "-o", "ana.json")
    kith(2, *RUN, *pay, "--ledger", ana, "--analyst", "bob", says="ana")
    assert charges(url)[0]["body"]["analyst"] == "ana"
    for who in eve, nobody:
        kith(5, *RUN, *pay, "--ledger", who, says="kith_runner")
    kith(5, "budget", "show", "visits", "--ledger", ana, says="kith_reader")
    kith(0, "budget", "show", "visits", "--ledger", eve)
    kith(5, "budget", "limit", "visits", "--ledger", ana, "-e", ".2",
         "--delta", "1e-6", says="kith_owner")
    kith(0, "budget", "limit", "visits", "--ledger", boss, "--analyst", "ana",
         "-e", ".1", "--delta", "1e-6")
    kith(0, "budget", "create", "more", "--ledger", boss, *CREATE)
    kith(0, *RUN, *pay, "--ledger", ana, "-o", "ana.json")
    kith(3, *RUN, *pay, "--ledger", ana, says="this analyst")
    for who in ana, boss, eve:  # nobody reaches the tables
        for sql in ("UPDATE kith_ledger.account SET spent_gauss = 0",
                    "DELETE FROM kith_ledger.entry",
                    "INSERT INTO kith_ledger.meta VALUES ('a', 'b')",
                    "SELECT * FROM kith_ledger.post(ARRAY['visits'], '{}', "
                    "NULL, false)"):
            assert psql(who, sql, check=False).returncode, (who, sql)
    lie = ("SELECT * FROM kith_ledger.kith_charge(ARRAY['visits'], '%s', NULL, "
           "false)")
    body = {"kind": "charge", "run": "ab" * 16, "analyst": "ana", "amount": 1,
            "purse": "pure", "unit": "row", "adjacency": "add-remove"}
    for wrong in ({"analyst": "bob"}, {"kind": "limit"}, {"run": None},
                  {"amount": 0}, {"amount": -1}, {"amount": "1"},
                  {"amount": 2**63}, {"purse": "mine"}, {"unit": "user"}):
        text = json.dumps({**body, **wrong})
        assert psql(ana, lie % text, check=False).returncode, wrong
    twice = json.dumps(body)[:-1] + ', "amount": 2}'
    assert psql(ana, lie % twice, check=False).returncode, "two amounts"
    done = psql(url, "DELETE FROM kith_ledger.entry", check=False)
    assert "only appended" in done.stderr, done
    kith(0, "budget", "verify", "--ledger", url)


def edited(postgres):
    """T29: whoever edits the tables is noticed, and nothing more is charged.
    T22: a copy by pg_dump is the ledger; an old one misses entries."""
    url, copy = postgres.fresh(), postgres.fresh()
    pay = ["--account", "visits", "-e", ".01", "--delta", "1e-6"]
    kith(0, "budget", "create", "visits", "--ledger", url, "--new-ledger",
         *CREATE)
    kith(0, *RUN, *pay, "--ledger", url, "-o", "old.json")
    kith(2, "budget", "backup", "copy.db", "--ledger", url, says="pg_dump")
    dump = subprocess.run([f"{POSTGRESQL}/pg_dump", url], check=True,
                          capture_output=True)
    subprocess.run(["psql", "-q", copy], input=dump.stdout, check=True,
                   stdout=subprocess.DEVNULL)
    kith(0, *RUN, *pay, "--ledger", url, "-o", "late.json")
    kith(0, "budget", "verify", "--ledger", copy)
    kith(0, "verify", "--ledger", copy, "old.json")
    kith(1, "verify", "--ledger", copy, "late.json", says="old copy")
    kith(0, *RUN, *pay, "--ledger", copy, "-o", "again.json")
    free = "ALTER TABLE kith_ledger.entry DISABLE TRIGGER entry_stays; "
    for edit, undo in (
            ("UPDATE kith_ledger.account SET lim_gauss = lim_gauss * 2",
             "UPDATE kith_ledger.account SET lim_gauss = lim_gauss / 2"),
            ("UPDATE kith_ledger.account SET spent_gauss = spent_gauss - 1",
             "UPDATE kith_ledger.account SET spent_gauss = spent_gauss + 1"),
            (free + "UPDATE kith_ledger.entry SET body = replace(body, "
             "'visits', 'vosits')",
             "UPDATE kith_ledger.entry SET body = replace(body, 'vosits', "
             "'visits')"),
            ("UPDATE kith_ledger.entry SET at = '1999' WHERE seq = 2",
             None)):
        psql(url, edit)
        kith(5, "budget", "verify", "--ledger", url)
        kith(5, *RUN, *pay, "--ledger", url, says="changed the ledger")
        if undo:
            psql(url, undo)
            kith(0, "budget", "verify", "--ledger", url)


def check_then_write(postgres):
    """T30's control: what a ledger must not be grants more than there is. They
    begin together, so all eight are at it when 100 are granted; each is nearly
    always between its look and its write."""
    url = postgres.fresh()
    psql(url, "CREATE TABLE planted (spent integer); INSERT INTO planted "
              "VALUES (0); CREATE TABLE here (one integer)")
    work = ("DO $$ DECLARE s integer; BEGIN INSERT INTO here VALUES (1); "
            "COMMIT; FOR i IN 1 .. 9999 LOOP EXIT WHEN "
            "(SELECT count(*) FROM here) = 8; PERFORM pg_sleep(.01); END LOOP; "
            "FOR i IN 1 .. 20 LOOP SELECT spent "
            "INTO s FROM planted; IF s < 100 THEN PERFORM pg_sleep(.01); "
            "UPDATE planted SET spent = spent + 1; COMMIT; END IF; END LOOP; "
            "END $$")
    racers = [subprocess.Popen(["psql", "-q", url, "-c", work])
              for _ in range(8)]
    assert all(r.wait() == 0 for r in racers)
    granted = int(psql(url, "SELECT spent FROM planted").stdout)
    print(f"check-then-write granted {granted} of 100")
    assert granted > 100


def from_python(postgres):
    """What python/tests/test_budget.py asks of SQLite, asked of this store."""
    package = os.path.join(os.environ["KITH_BUILD"], "python")
    binary = os.path.join(package, "kith", "_core.abi3.so")
    if not os.path.exists(binary):
        print("SKIPPED: the Python package is not built")
        return
    with open(binary, "rb") as file:
        if b"__asan_init" in file.read():
            print("left out: Python cannot load a sanitized package as it is")
            return
    done = subprocess.run(
        ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         os.path.join(HERE, "../../python/tests/test_budget.py"), "-k",
         "ledger_that_lasts and postgresql"], check=False, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": package,
                        "PYTHONDONTWRITEBYTECODE": "1",
                        "KITH_TEST_PG_URL": postgres.fresh()})
    if done.returncode or "1 passed" not in done.stdout:
        sys.exit(f"FAILED: {done.stdout}{done.stderr}")


def from_ranks(postgres):
    """kith-mpi: rank 0 alone charges, once, in the server's ledger."""
    binary = os.path.join(os.environ["KITH_BUILD"], "tools/kith-mpi/kith-mpi")
    if not os.path.exists(binary) or not shutil.which("mpirun"):
        print("SKIPPED: there is no kith-mpi, or no mpirun")
        return
    url = postgres.fresh()
    kith(0, "budget", "create", "visits", "--ledger", url, "--new-ledger",
         *CREATE)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1",
                   "ASAN_OPTIONS": "detect_leaks=0"}

    def ranks(code, epsilon):
        done = subprocess.run(
            ["mpirun", "-n", "3", binary, *RUN, "-e", epsilon, "--delta",
             "1e-6", "--ledger", url, "--account", "visits", "-o",
             "ranks.json"], env=environment, check=False, timeout=120,
            capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == code, (done.returncode, done.stderr)

    ranks(0, "1")
    assert len(charges(url)) == 1, "three ranks pay once"
    kith(0, "verify", "ranks.json", "--ledger", url)
    ranks(3, "3.9")
    assert len(charges(url)) == 1, "what is refused is not charged"


def main():
    postgres = Postgres()
    try:
        environment = dict(
            os.environ, KITH_TEST_STORE="postgresql",
            KITH_TEST_PG=postgres.url.rsplit("/", 1)[0],
            KITH_TEST_PG_RESTART=postgres.restart_command(),
            KITH_LEDGER_KILLS=os.environ.get("KITH_LEDGER_KILLS", "10"))
        for name in ("test_ledger_stores", "test_ledger_faults"):
            subprocess.run([os.path.join(TESTS, name)], check=True,
                           env=environment)
        os.chdir(tempfile.mkdtemp(dir=postgres.folder))
        kith(0, "generate", "gaussians", "--rows", "500", "--dimension", "2",
             "-k", "2", "-o", "rows.csv")
        for part in (lost_on_the_way, must_sync, roles, edited,
                     check_then_write, from_python, from_ranks):
            part(postgres)
            print("fine:", part.__name__)
    finally:
        os.chdir("/")
        postgres.close()


if __name__ == "__main__":
    main()
