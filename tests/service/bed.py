"""A kithd to torment, on SQLite or on a PostgreSQL of its own; and the judge:
the model of what was collected is the simulation's of the same devices, bit for
bit, so nothing that was acknowledged is lost and nothing is counted twice."""
import http.client
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "support"))
from postgres import Postgres, free_ports  # noqa: E402,F401

KITH = os.environ["KITH"]
KITHD = os.environ["KITHD"]
KITHD_TEST = os.environ.get("KITHD_TEST", KITHD)
FIELDS = ("centers", "weights", "privacy", "rounds", "parameters")


class Service:
    """One kithd; started, killed, started again on the same ports."""

    def __init__(self, folder, database, number=0, options=()):
        self.folder, self.database, self.options = folder, database, options
        self.port, self.admin = free_ports(2)
        self.name = f"kithd{number}"
        self.process, self.token = None, None
        self.tokens = os.path.join(folder, "tokens")
        self.token_file = os.path.join(folder, "token")
        if not os.path.exists(self.tokens):
            out = subprocess.run([KITHD, "--new-token", "test:operate,enrol"],
                                 check=True, capture_output=True, text=True)
            lines = out.stdout.splitlines()
            with open(self.token_file, "w", encoding="utf-8") as file:
                file.write(lines[0].split(": ")[-1] + "\n")
            with open(self.tokens, "w", encoding="utf-8") as file:
                file.write(lines[-1] + "\n")
        with open(self.token_file, encoding="utf-8") as file:
            self.token = file.read().strip()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def operator(self):
        return f"http://127.0.0.1:{self.admin}"

    def start(self, binary=KITHD, kill_at=None, after=0, wait=True):
        environment = dict(os.environ)
        if kill_at:
            environment.update(KITH_KILL_AT=kill_at, KITH_KILL_AFTER=str(after))
        log = open(os.path.join(self.folder, self.name + ".log"), "ab")
        self.process = subprocess.Popen(
            [binary, "--listen", f"127.0.0.1:{self.port}", "--admin-listen",
             f"127.0.0.1:{self.admin}", "--database", self.database,
             "--operator-tokens", self.tokens, *self.options],
            stdout=log, stderr=log, env=environment)
        log.close()
        if wait:
            self.ready()

    def ready(self):
        """Wait until both listeners answer."""
        until = time.time() + 120
        while time.time() < until:
            try:
                if (self.call("GET", "/healthz")[0] == 200 and
                        self.call("GET", "/healthz", admin=True)[0] == 200):
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                raise RuntimeError(f"kithd ended: {self.process.returncode}")
            time.sleep(.01)
        raise RuntimeError("kithd does not answer")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(120)

    def call(self, method, path, body=None, headers=None, admin=False):
        """(code, headers, body)"""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.admin if admin else self.port, timeout=120)
        headers = dict(headers or {})
        if admin:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data


class Deployment:
    """A folder with rows and a task marked as a test, of several rounds: one
    feature, because few users with two are asked all at once."""

    def __init__(self, rows=3000, dimension=1, options=(), enrol="open"):
        self.folder = tempfile.mkdtemp(prefix="kith_faults_")
        self.rows = os.path.join(self.folder, "rows.csv")
        self.task = os.path.join(self.folder, "task.json")
        subprocess.run([KITH, "generate", "gaussians", "--rows", str(rows),
                        "--dimension", str(dimension), "-k", "2", "-o",
                        self.rows], check=True, stderr=subprocess.DEVNULL)
        made = subprocess.run(
            [KITH, "local", "create", "-k", "2", "-e", "3", "--dimension",
             str(dimension), "--bounds=-1:1", "--test", "--enrol", enrol,
             "--close-at", "0", "--minimum", "20", "-o", self.task, *options],
            check=True, capture_output=True, text=True)
        self.name = made.stderr.split("task: ")[1].strip()
        with open(self.task, "rb") as file:
            self.json = file.read()

    def create(self, service):
        code, _, body = service.call("POST", "/v1/tasks", self.json,
                                     {"Content-Type": "application/json"},
                                     admin=True)
        assert code in (200, 201), body

    def respond(self, service, *options, state="state.bin", seed=6):
        """kith local respond, started."""
        return subprocess.Popen(
            [KITH, "local", "respond", "--server", service.url, "--task",
             self.name, "--operate", service.operator, "--token-file",
             service.token_file, "--state", os.path.join(self.folder, state),
             "--insecure-seed", str(seed), "--no-header", "--quiet", *options,
             self.rows],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def judge(self, service, seed=6):
        """The model, after it was held against the simulation."""
        _, _, body = service.call("GET", f"/v1/tasks/{self.name}/result")
        model = json.loads(body)
        simulated = json.loads(subprocess.run(
            [KITH, "local", "simulate", "--task", self.task, "--insecure-seed",
             str(seed), "--no-header", self.rows], check=True,
            capture_output=True, text=True).stdout)
        for field in FIELDS:
            assert json.dumps(model[field]) == json.dumps(simulated[field]), \
                f"{field} differ"
        return model

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def envelopes(state):
    """Those of a file that `respond --state` left (docs/protocol.md)."""
    with open(state, "rb") as file:
        data = file.read()
    at, found = 64, []
    while at + 8 <= len(data):
        kind, count = struct.unpack_from("<II", data, at)
        if kind == 2:
            s = data[at + 16:at + 8 + count]
            found.append(bytes([1, s[9], 0, 0]) + s[40:72] + s[112:156])
        at += 8 + count + 8
    return found


def wait_for(what, seconds=120):
    until = time.time() + seconds
    while time.time() < until:
        if what():
            return
        time.sleep(.05)
    raise AssertionError("it never came")


class Task:
    """A task's routes."""
    JSON = {"Content-Type": "application/json"}

    def __init__(self, service, deployment):
        self.service, self.deployment = service, deployment
        self.path = f"/v1/tasks/{deployment.name}"

    def get(self, tail, headers=None, admin=False):
        return self.service.call("GET", self.path + tail, None, headers, admin)

    def post(self, tail, body=b"", headers=None, admin=False):
        return self.service.call("POST", self.path + tail, body,
                                 headers or self.JSON, admin)

    def view(self):
        return json.loads(self.get("/operator", admin=True)[2])

    def match(self):
        rounds = self.view()["rounds"]
        digest = rounds[-1]["digest"] if rounds else "none"
        return {"If-Match": f'"{digest}"', **self.JSON}


def received(task):
    return sum(g["received"] for g in task.view()["rounds"][-1]["groups"])
