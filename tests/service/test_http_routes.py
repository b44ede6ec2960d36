#!/usr/bin/env python3
"""Every public and operator's route of docs/service_api.md, code by code: CORS,
lengths, types, halves of bodies, limits, long polls, drafts, pauses."""
import json
import os
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bed import (KITHD, Deployment, Service, Task, envelopes,  # noqa: E402
                 received, wait_for)

REPORT = {"Content-Type": "application/vnd.kith.report"}
REPORTS = {"Content-Type": "application/vnd.kith.reports"}
COMMITMENTS = {"Content-Type": "application/vnd.kith.commitments"}
JSON = {"Content-Type": "application/json"}


def problem(answer, code, name):
    got, headers, body = answer
    assert got == code, (got, code, name, body)
    assert headers["Content-Type"] == "application/problem+json", headers
    said = json.loads(body)
    assert said["type"] == f"/problems/{name}", said
    assert said["status"] == code and said["title"] and said["detail"], said
    return headers


def check_manners(service, task):
    """What every route has in common."""
    problem(service.call("GET", "/nowhere"), 404, "no_route")
    problem(service.call("GET", "/v1/tasks/" + "A" * 22), 404, "no_task")
    problem(service.call("GET", "/v1/tasks/short"), 404, "no_task")
    problem(service.call("POST", task.path, b"", JSON), 405, "wrong_method")
    problem(task.get("/operator"), 404, "no_route")  # not on this listener
    problem(task.get("/status", admin=True), 404, "no_route")
    problem(task.post("/reports", b"x" * 80, {"Content-Type": "text/plain"}),
            415, "wrong_type")
    assert b" 413 " in raw(service.port, (
        f"POST {task.path}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: "
        "application/vnd.kith.reports\r\nContent-Length: 1048577\r\n\r\n"
    ).encode())
    code, headers, body = task.get("")
    assert code == 200 and body == task.deployment.json
    assert "immutable" in headers["Cache-Control"] and headers["ETag"]
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert service.call("GET", "/healthz", admin=True)[1].get(
        "Access-Control-Allow-Origin") is None
    code, headers, _ = service.call("OPTIONS", task.path + "/reports", None,
                                    {"Origin": "https://example.org"})
    assert code == 204 and headers["Access-Control-Max-Age"] == "86400"
    assert "Kith-Invitation" in headers["Access-Control-Allow-Headers"]
    for path in ("/healthz", "/readyz"):
        assert json.loads(service.call("GET", path)[2])["status"] == "ok"
    code, headers, body = service.call("GET", "/")
    assert code == 200 and b"<html" in body.lower()
    assert "default-src 'self'" in headers["Content-Security-Policy"]


def raw(port, data, pause=None, more=b""):
    """What a socket gets for these bytes; b"" when it was closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=25) as s:
        s.sendall(data)
        if pause is not None:
            time.sleep(pause)
        try:
            if more:
                s.sendall(more)
            return s.recv(65536)
        except OSError:
            return b""


def check_bodies(service, task, good):
    """Cut, slow and chunked bodies store nothing."""
    head = (f"POST {task.path}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: "
            "application/vnd.kith.report\r\n")
    assert b" 411 " in raw(service.port, (
        head + "Transfer-Encoding: chunked\r\n\r\n").encode() +
        b"50\r\n" + good + b"\r\n0\r\n\r\n")
    before = received(task)
    for cut in range(0, 80, 7):  # cut off inside of the last report
        with socket.create_connection(("127.0.0.1", service.port)) as s:
            s.sendall((head + "Content-Length: 80\r\n\r\n").encode() +
                      good[:cut])
    time.sleep(.3)
    assert received(task) == before
    slow = raw(service.port, (head + "Content-Length: 80\r\n\r\n").encode() +
               good[:40], .5, good[40:])
    assert b" 204 " in slow, slow
    assert received(task) == before + 1
    for bad in (good[:79], good + b"x", b""):
        problem(task.post("/reports", bad, REPORT), 400, "bad_report")
    problem(task.post("/reports", good + good, REPORT), 400, "bad_report")
    problem(task.post("/reports", good * 2 + b"x", REPORTS), 400, "bad_report")


def flip(envelope, at):
    return envelope[:at] + bytes([envelope[at] ^ 1]) + envelope[at + 1:]


def check_reports(service, task, good):
    """Each refusal of a report has its name; one bad one spoils nothing."""
    refusals = {0: "bad_report", 1: "bad_report", 2: "bad_report",
                4: "bad_token", 20: "bad_token", 36: "bad_report",
                40: "bad_report", 56: "wrong_round", 60: "wrong_round"}
    for at, name in refusals.items():
        code = {"bad_report": 400, "bad_token": 403}.get(name, 409)
        problem(task.post("/reports", flip(good, at), REPORT), code, name)
    other_group = good[:58] + bytes([good[58] ^ 1]) + good[59:]
    problem(task.post("/reports", other_group, REPORT), 409, "wrong_group")
    code, _, body = task.post("/reports", flip(good, 20) + good, REPORTS)
    said = json.loads(body)
    assert code == 200 and said["refused"] == 1, said
    assert said["reasons"] == [[0, "bad_token"]], said
    # Twice is a success, and counts once.
    before = received(task)
    for _ in range(3):
        assert task.post("/reports", good, REPORT)[0] == 204
    assert received(task) == before


def check_operator(service, task):
    """Tokens, scopes, conditions."""
    problem(service.call("GET", "/v1/tasks", None,
                         {"Authorization": "Bearer no"}, admin=True), 401,
            "token_needed")
    reader = subprocess.run([KITHD, "--new-token", "eve:read"], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    with open(service.tokens, "a", encoding="utf-8") as file:
        file.write(reader[-1] + "\n")
    service.process.send_signal(1)  # SIGHUP
    token = {"Authorization": "Bearer " + reader[0].split(": ")[-1]}
    wait_for(lambda: service.call("GET", "/v1/tasks", None, token,
                                  admin=True)[0] == 200)
    problem(service.call("POST", task.path + "/close", b"", {**token, **JSON},
                         admin=True), 403, "wrong_scope")
    problem(service.call("POST", "/v1/tasks", b"{}", JSON, admin=True), 400,
            "bad_task")
    assert service.call("POST", "/v1/tasks", task.deployment.json, JSON,
                        admin=True)[0] == 200  # there already
    problem(task.post("/close", b"", JSON, admin=True), 428, "match_needed")
    problem(task.post("/close", b"", {"If-Match": '"' + "0" * 64 + '"', **JSON},
                      admin=True), 412, "moved_on")
    problem(task.post("/invitations", b'{"count": 1}', JSON, admin=True), 409,
            "wrong_state")
    problem(task.get("/archive", admin=True), 409, "wrong_state")
    problem(service.call("DELETE", task.path, admin=True), 409, "wrong_state")
    text = service.call("GET", "/metrics", admin=True)[2].decode()
    for name in ("kith_reports_total{result=\"stored\"}", "kith_build_info",
                 "kith_http_requests_total{route=\"reports\"",
                 "kith_group_received", "kith_commit_seconds_sum"):
        assert name in text, name


def check_long_poll(task):
    """Held while nothing changes, answered when something does."""
    code, headers, _ = task.get("/status")
    tag = headers["ETag"]
    assert task.get("/status", {"If-None-Match": tag})[0] == 304
    began = time.time()
    assert task.get("/status", {"If-None-Match": tag,
                                "Prefer": "wait=1"})[0] == 304
    assert .8 < time.time() - began < 15
    answers = []

    def look():
        answers.append(task.get("/status", {"If-None-Match": tag,
                                            "Prefer": "wait=20"}))

    thread = threading.Thread(target=look)
    thread.start()
    time.sleep(.3)
    body = json.dumps({"seconds": 1000}).encode()
    assert task.post("/extend", body, task.match(), admin=True)[0] == 200
    thread.join(60)
    assert answers and answers[0][0] == 200
    assert answers[0][1]["ETag"] != tag


def main():
    deployment = Deployment(2000)
    service = Service(deployment.folder, f"sqlite:{deployment.folder}/k.db",
                      options=("--spread", "0"))
    service.start()
    task = Task(service, deployment)
    deployment.create(service)
    check_manners(service, task)
    problem(task.post("/enrolments", b"x" * 15, COMMITMENTS), 400,
            "bad_commitments")
    problem(task.post("/enrolments", b"x" * 16016, COMMITMENTS), 400,
            "bad_commitments")
    first = task.post("/enrolments", b"c" * 32, COMMITMENTS)
    assert first[0] == 200 and len(first[2]) == 32
    assert task.post("/enrolments", b"c" * 16,
                     COMMITMENTS)[2] == first[2][:16] == first[2][16:]
    problem(task.get("/rounds/0"), 404, "not_published")
    problem(task.get("/result"), 404, "not_finished")
    assert json.loads(task.get("/status")[2])["round"] is None
    # The devices answer the first round; one of them by hand.
    player = deployment.respond(service, state="s.bin")
    wait_for(lambda: json.loads(task.get("/status")[2])["state"] == "finished")
    player.communicate()
    invited = task.view()["invited"]
    reports = envelopes(deployment.folder + "/s.bin")
    assert len(reports) == 2000
    problem(task.post("/reports", reports[0], REPORT), 410, "task_over")
    assert service.call("DELETE", task.path, admin=True)[0] == 204
    # The same devices at a service that has not closed its first round.
    other = Service(deployment.folder, f"sqlite:{deployment.folder}/o.db", 1)
    other.start()
    deployment.create(other)
    task = Task(other, deployment)
    body = json.dumps({"invited": invited}).encode()
    assert task.post("/start", body, JSON, admin=True)[0] == 200
    first = [e for e in reports if e[56] == 0]
    assert len(first) > 20
    check_bodies(other, task, first[0])
    check_reports(other, task, first[1])
    check_operator(other, task)
    check_long_poll(task)
    assert task.post("/close", b"", task.match(), admin=True)[0] == 200
    wait_for(lambda: task.view()["state"] == "paused")  # two of 20 answered
    problem(task.post("/reports", first[2], REPORT), 409, "round_closed")
    assert task.post("/extend", b'{"seconds": 100}', task.match(),
                     admin=True)[0] == 200
    assert task.view()["state"] == "running"
    assert task.post("/reports", first[2], REPORT)[0] == 204
    assert task.post("/abort", b'{"reason": "done"}', task.match(),
                     admin=True)[0] == 200
    problem(task.post("/reports", first[3], REPORT), 410, "task_over")
    problem(task.post("/enrolments", b"c" * 16, COMMITMENTS), 410, "task_over")
    assert other.stop() == 0
    # Limits by address, counted by report.
    service.stop()
    service.options = ("--limit-loopback",)
    service.start()
    codes = [task_of(service, deployment).post("/enrolments", b"d" * 16,
                                               COMMITMENTS)[0]
             for _ in range(25)]
    assert 410 in codes and codes[-1] == 429, codes
    assert service.stop() == 0
    deployment.close()
    print("routes, codes, bodies, polls, states, limits: ok")


def task_of(service, deployment):
    return Task(service, deployment)


if __name__ == "__main__":
    main()
