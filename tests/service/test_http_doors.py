#!/usr/bin/env python3
"""The other ways in and out of kithd: TLS, what SIGHUP reads again, origins, a
backend that enrols, rounds that an operator publishes, a sealed key, a copy
while it runs, a disk that is low, no room to tell duplicates early, a newer
schema."""
import http.client
import json
import os
import shutil
import signal
import sqlite3
import ssl
import subprocess
import sys
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bed import KITHD, Deployment, Service  # noqa: E402
from bed import Task, envelopes, wait_for  # noqa: E402
from test_http_routes import COMMITMENTS, JSON, REPORT, problem  # noqa: E402


def opened(rows=1500, options=(), create=(), enrol="open"):
    deployment = Deployment(rows, options=create, enrol=enrol)
    service = Service(deployment.folder,
                      f"sqlite:{deployment.folder}/k.db",
                      options=("--spread", "0", *options))
    service.start()
    deployment.create(service)
    return deployment, service, Task(service, deployment)


def make_certificate(folder, name):
    cert, key = (f"{folder}/{name}.{n}.pem" for n in ("cert", "key"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                    "-out", cert, "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, stderr=subprocess.DEVNULL)
    return cert, key


def shown(service):
    """The certificate that the service shows; None: it cannot be reached."""
    try:
        return ssl.get_server_certificate(("127.0.0.1", service.port))
    except OSError:
        return None


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def logged(service):
    return text_of(os.path.join(service.folder, service.name + ".log"))


def check_tls():
    """HTTPS with the given certificate, and only that; renewed by SIGHUP."""
    deployment = Deployment(100)
    first, second = (make_certificate(deployment.folder, n)
                     for n in ("first", "second"))
    cert, key = (f"{deployment.folder}/{n}.pem" for n in ("cert", "key"))
    shutil.copy(first[0], cert)
    shutil.copy(first[1], key)
    service = Service(deployment.folder, f"sqlite:{deployment.folder}/t.db",
                      options=("--tls-certificate", cert, "--tls-key", key))
    service.start(wait=False)
    url = f"https://127.0.0.1:{service.port}/healthz"
    wait_for(lambda: shown(service))
    context = ssl.create_default_context(cafile=first[0])
    with urllib.request.urlopen(url, context=context) as answer:
        assert answer.status == 200
    try:  # nobody vouches for it
        urllib.request.urlopen(url)
        raise AssertionError("a certificate of nobody was trusted")
    except OSError:
        pass
    try:  # plain words at that door
        service.call("GET", "/healthz")
        raise AssertionError("plain HTTP was answered")
    except (OSError, http.client.HTTPException):
        pass
    kept = http.client.HTTPSConnection("127.0.0.1", service.port,
                                       context=context)
    kept.request("GET", "/healthz")
    kept.getresponse().read()

    # Half of a renewal: the certificate is there and its key is not.
    shutil.copy(second[0], cert)
    service.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "belong together" in logged(service))
    assert shown(service) == text_of(first[0])
    shutil.copy(second[1], key)
    service.process.send_signal(signal.SIGHUP)
    wait_for(lambda: shown(service) == text_of(second[0]))
    kept.request("GET", "/healthz")  # who was there before is still served
    assert kept.getresponse().status == 200
    kept.close()
    assert service.stop() == 0
    refused = subprocess.run([KITHD, "--listen", "0.0.0.0:0", "--database",
                              f"sqlite:{deployment.folder}/n.db"],
                             capture_output=True, text=True, check=False,
                             timeout=120)
    assert refused.returncode == 5 and "plain HTTP" in refused.stderr
    deployment.close()


def check_tokens_again():
    """SIGHUP: new tokens count at once; a file with a mistake changes nothing."""
    deployment, service, _ = opened()
    made = subprocess.run([KITHD, "--new-token", "bob:read"], check=True,
                          capture_output=True, text=True).stdout.splitlines()
    bob = {"Authorization": "Bearer " + made[0].split(": ")[-1]}

    def code():
        return service.call("GET", "/v1/tasks", None, bob, admin=True)[0]

    assert code() == 401
    before = text_of(service.tokens)
    with open(service.tokens, "w", encoding="utf-8") as file:
        file.write(made[-1] + "\nmallory operate\n")
    service.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "NAME SCOPES SHA256" in logged(service))
    assert code() == 401
    assert service.call("GET", "/v1/tasks", admin=True)[0] == 200
    with open(service.tokens, "w", encoding="utf-8") as file:
        file.write(before + made[-1] + "\n")
    service.process.send_signal(signal.SIGHUP)
    wait_for(lambda: code() == 200)
    assert service.stop() == 0
    deployment.close()


def check_origins():
    """Listed origins from end to end; a part of one is another."""
    deployment, service, _ = opened(
        options=("--origins", "https://a.example.org, https://b.example.org"))
    for origin, allowed in (("https://a.example.org", 1),
                            ("https://b.example.org", 1),
                            ("https://a.example", 0), ("https://", 0),
                            ("https://a.example.org, https://b.example.org",
                             0)):
        headers = service.call("GET", "/healthz", None, {"Origin": origin})[1]
        assert headers.get("Access-Control-Allow-Origin") == (
            origin if allowed else None), origin
    assert service.stop() == 0
    deployment.close()


def check_backend():
    """enrol = backend: only who has a token of that scope."""
    deployment, service, task = opened(enrol="backend")
    problem(task.post("/enrolments", b"c" * 16, COMMITMENTS), 403,
            "invitation_needed")
    problem(task.post("/enrolments", b"c" * 16, {
        **COMMITMENTS, "Authorization": "Bearer no"}), 403,
            "invitation_needed")
    code, _, body = task.post("/enrolments", b"c" * 16, {
        **COMMITMENTS, "Authorization": f"Bearer {service.token}"})
    assert code == 200 and len(body) == 16
    assert service.stop() == 0
    deployment.close()


def check_invitations():
    """One code, one commitment; the same again is the same."""
    deployment, service, task = opened(enrol="invitation")
    codes = json.loads(task.post("/invitations", b'{"count": 2}', JSON,
                                 admin=True)[2])["codes"]
    problem(task.post("/enrolments", b"c" * 16, COMMITMENTS), 403,
            "invitation_needed")
    with_code = {**COMMITMENTS, "Kith-Invitation": codes[0]}
    first = task.post("/enrolments", b"c" * 16, with_code)
    assert first[0] == 200
    assert task.post("/enrolments", b"c" * 16, with_code)[2] == first[2]
    problem(task.post("/enrolments", b"d" * 16, with_code), 409,
            "invitation_used")
    assert task.view()["enrolled"] == 1, "who was refused was counted"
    problem(task.post("/enrolments", b"d" * 16, {
        **COMMITMENTS, "Kith-Invitation": "A" * 22}), 403,
            "invitation_needed")
    assert service.stop() == 0
    deployment.close()


def check_manual():
    """release = manual: a round is nobody's before it is published."""
    deployment, service, task = opened(create=("--release", "manual"))
    player = deployment.respond(service)
    seen = 0
    while player.poll() is None:
        rounds = task.view()["rounds"] if task.view()["invited"] else []
        if rounds and rounds[-1]["state"] == "draft":
            number = rounds[-1]["round"]
            assert task.get(f"/rounds/{number}")[0] == 404
            assert json.loads(task.get("/status")[2])["round"] != number
            code = task.post("/publish", b"", task.match(), admin=True)[0]
            assert code in (200, 412), code
            seen += 1
    assert player.returncode == 0 and seen >= 2, (player.returncode, seen)
    deployment.judge(service)
    assert service.stop() == 0
    deployment.close()


def check_seal():
    """A key in the database is not the key, and nobody reads it without."""
    deployment = Deployment(100)
    key, other = (f"{deployment.folder}/{n}" for n in ("seal", "other"))
    for path in (key, other):
        with open(path, "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex() + "\n")
    where = f"{deployment.folder}/s.db"
    service = Service(deployment.folder, f"sqlite:{where}",
                      options=("--key-file", key))
    service.start()
    deployment.create(service)
    task = Task(service, deployment)
    tag = task.post("/enrolments", b"c" * 16, COMMITMENTS)[2]
    assert service.stop() == 0
    stored = sqlite3.connect(where).execute(
        "SELECT task_key FROM tasks").fetchone()[0]
    assert len(stored) == 72
    for options, words in (((), "sealed"), (("--key-file", other), "another")):
        said = subprocess.run([KITHD, "--database", f"sqlite:{where}",
                               "--check", *options], capture_output=True,
                              text=True, check=False)
        assert said.returncode == 5 and words in said.stderr, said
    with open(other, "w", encoding="ascii") as file:
        file.write("short")
    said = subprocess.run([KITHD, "--key-file", other], capture_output=True,
                          text=True, check=False)
    assert said.returncode == 2 and "not a key" in said.stderr, said
    service.start()
    assert task.post("/enrolments", b"c" * 16, COMMITMENTS)[2] == tag
    assert service.stop() == 0
    deployment.close()


def check_copy():
    """A copy of a database in use has what was acknowledged."""
    deployment, service, task = opened(rows=100)
    task.post("/enrolments", b"c" * 32, COMMITMENTS)
    copy = f"{deployment.folder}/copy.db"
    command = [KITHD, "--database", service.database, "--backup", copy]
    subprocess.run(command, check=True)
    again = subprocess.run(command, capture_output=True, text=True,
                           check=False)
    assert again.returncode == 5 and "exists" in again.stderr, again
    rows = sqlite3.connect(copy).execute(
        "SELECT sum(count) FROM segments").fetchone()[0]
    assert rows == 1, rows  # the same commitment twice is one
    text = service.call("GET", "/metrics", admin=True)[2].decode()
    assert "kith_wal_bytes" in text and "kith_disk_free_bytes" in text
    assert service.stop() == 0
    # Somebody else's schema.
    sqlite3_set(copy, "UPDATE meta SET value = '2' WHERE name = 'schema'")
    said = subprocess.run([KITHD, "--database", f"sqlite:{copy}", "--check"],
                          capture_output=True, text=True, check=False)
    assert said.returncode == 5 and "newer kithd" in said.stderr, said
    deployment.close()


def sqlite3_set(path, statement):
    store = sqlite3.connect(path)
    store.execute(statement)
    store.commit()
    store.close()


def check_low_disk():
    """Below the floor nothing is taken, readiness says so; above, all is."""
    deployment, service, task = opened(rows=100)
    assert service.stop() == 0
    said = subprocess.run([KITHD, "--disk-floor", "1000001"],
                          capture_output=True, text=True, check=False)
    assert said.returncode == 2, said
    free = shutil.disk_usage(deployment.folder).free >> 20
    service.options = ("--disk-floor", str(min(2 * free + 1000, 1000000)))
    if free >= 1000000:
        print("this disk is too large to be low")
    service.start()
    code, _, body = service.call("GET", "/readyz")
    assert code == 503 and b"disk" in body, body
    problem(task.post("/enrolments", b"c" * 16, COMMITMENTS), 507,
            "disk_full")
    assert service.stop() == 0
    service.options = ("--log-requests", "--log-addresses")
    service.start()
    assert task.post("/enrolments", b"c" * 16, COMMITMENTS)[0] == 200
    assert service.stop() == 0
    with open(f"{deployment.folder}/kithd0.log", encoding="utf-8") as file:
        assert '"from":"127.0.0.1"' in file.read()
    deployment.close()


def check_no_room_for_duplicates():
    """Not told early, they are found when the group is counted."""
    deployment, service, task = opened(options=("--dedupe-mb", "0"))
    player = deployment.respond(service, state="s.bin")
    player.communicate()
    reports = envelopes(f"{deployment.folder}/s.bin")
    deployment.judge(service)
    invited = task.view()["invited"]
    other = Service(deployment.folder, f"sqlite:{deployment.folder}/o.db", 1,
                    options=("--spread", "0", "--dedupe-mb", "0"))
    other.start()
    deployment.create(other)
    task = Task(other, deployment)
    assert task.post("/start", json.dumps({"invited": invited}).encode(), JSON,
                     admin=True)[0] == 200
    first = [e for e in reports if e[56] == 0]
    for report in first:
        assert task.post("/reports", report, REPORT)[0] == 204
    for report in first[:10]:
        assert task.post("/reports", report, REPORT)[0] == 204
    assert task.post("/close", b"", task.match(), admin=True)[0] == 200
    wait_for(lambda: task.view()["rounds"][0]["state"] == "answered")
    groups = task.view()["rounds"][0]["groups"]
    assert sum(g["received"] for g in groups) == len(first), groups
    assert sum(g["duplicates"] for g in groups) == 10, groups
    for s in (service, other):
        assert s.stop() == 0
    deployment.close()


def main():
    check_tls()
    check_tokens_again()
    check_origins()
    check_backend()
    check_invitations()
    check_manual()
    check_seal()
    check_copy()
    check_low_disk()
    check_no_room_for_duplicates()
    print("TLS, tokens, origins, backend, invitations, drafts, seal, copy, "
          "disk, duplicates: ok")


main()
