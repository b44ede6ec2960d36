"""A PostgreSQL of a test's own: in a temporary folder, as an unprivileged user,
gone at the end."""
import os
import pwd
import random
import shutil
import socket
import subprocess
import sys
import tempfile

POSTGRESQL = "/usr/lib/postgresql/15/bin"
SKIPPED = 77


HELD = []  # one socket for each port that this process was given


def free_ports(count, first=12000, last=31999):
    """Ports that nobody uses now, below those that the system gives to whoever
    calls out: a server that is killed and started again finds its own free.

    Tests run side by side, and a port is free while its server is down. So each
    is also held by a name (an abstract Unix address), until this process ends:
    no other test is given it."""
    ports = []
    coins = random.SystemRandom()
    while len(ports) < count:
        port = coins.randint(first, last)
        name = socket.socket(socket.AF_UNIX)
        with socket.socket() as probe:
            try:
                name.bind(f"\0kith-test-port-{port}")
                probe.bind(("127.0.0.1", port))
            except OSError:
                name.close()
                continue
        HELD.append(name)
        ports.append(port)
    return ports


def place():
    """Memory if there is enough of it: no fault here outlives the kernel, and
    what is synced to a disk takes much longer."""
    memory = "/dev/shm"
    return (memory if os.access(memory, os.W_OK)
            and shutil.disk_usage(memory).free > 2**30 else None)


class Postgres:
    """A cluster of its own in a temporary folder, by an unprivileged user."""

    def __init__(self, where=None):
        if not os.path.exists(f"{POSTGRESQL}/initdb"):
            print("SKIPPED: PostgreSQL 15 is not installed "
                  "(scripts/bootstrap.sh installs it)")
            sys.exit(SKIPPED)
        self.folder = tempfile.mkdtemp(prefix="kith_pg_",
                                       dir=where or place())
        self.port, = free_ports(1)
        # the server goes on with what killed clients have asked for: room for
        # all of them
        self.options = (f"-p {self.port} -k {self.folder} -c "
                        "listen_addresses=127.0.0.1 -c max_connections=300")
        self.url = f"postgresql://kith@127.0.0.1:{self.port}/postgres"
        self.prefix = []
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.prefix = ["runuser", "-u", "postgres", "--"]
        self.run("initdb", "-D", f"{self.folder}/data", "-U", "kith", "-A",
                 "trust", "--no-sync")
        self.start()

    def run(self, tool, *words):
        subprocess.run(self.prefix + [f"{POSTGRESQL}/{tool}", *words],
                       check=True, stdout=subprocess.DEVNULL, cwd="/tmp")

    def start(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l",
                 f"{self.folder}/log", "-o", self.options, "start")

    def stop(self, how="fast"):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", how, "-w",
                 "stop")

    def restart_command(self):
        """For a shell: stop without a word, as when the power fails, and
        start again."""
        begin = " ".join(self.prefix + [f"{POSTGRESQL}/pg_ctl", "-D",
                                        f"{self.folder}/data", "-w"])
        return (f"cd / && {begin} -m immediate stop >/dev/null && "
                f"{begin} -l {self.folder}/log -o '{self.options}' start "
                ">/dev/null")

    def fresh(self):
        """An empty database."""
        name = f"k{random.getrandbits(40):x}"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U",
                 "kith", name)
        return f"postgresql://kith@127.0.0.1:{self.port}/{name}"

    def close(self):
        try:
            self.stop("immediate")
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)
