#!/usr/bin/env python3
"""Hostile bytes at both doors of kithd: requests that were cut, doubled, turned
and stuffed. It stays up, never says 500, and stores nothing of it. Seeded;
KITH_TEST_MULTIPLIER: more of them."""
import os
import random
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bed import Deployment, Service, Task  # noqa: E402

COUNT = 300 * int(os.environ.get("KITH_TEST_MULTIPLIER", "1"))
WORDS = [b"\0", b"\r\n", b"\r\n\r\n", b"%00", b"../", b"%2e%2e%2f", b"\xff",
         b"Content-Length: 99999999999999999999\r\n",
         b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n",
         b"Expect: 100-continue\r\n", b"If-Match: \"\"\r\n",
         b"Prefer: wait=-1\r\n", b"Prefer: wait=999999999999\r\n",
         b"Authorization: Bearer \r\n", b"Authorization: Bearer " + b"a" * 5000,
         b"{\"count\": 1e999}", b"{\"count\": -1}", b"[" * 3000, b"{}",
         b"\"" * 70, b"A" * 40000]


def templates(task, token):
    path = task.path.encode()
    bearer = b"Authorization: Bearer " + token.encode() + b"\r\n"
    json = b"Content-Type: application/json\r\n"

    def request(line, headers=b"", body=None):
        if body is not None:
            headers += b"Content-Length: %d\r\n" % len(body)
        return line + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n" + (
            body or b"")

    report = b"Content-Type: application/vnd.kith.report\r\n"
    reports = b"Content-Type: application/vnd.kith.reports\r\n"
    commitments = b"Content-Type: application/vnd.kith.commitments\r\n"
    public = [request(b"GET " + path + tail) for tail in
              (b"", b"/status", b"/rounds/0", b"/rounds/4294967296", b"/chain",
               b"/result")]
    public += [request(b"GET /tasks/x/take-part"), request(b"GET /static/a"),
               request(b"OPTIONS " + path),
               request(b"POST " + path + b"/reports", report, b"\1" * 80),
               request(b"POST " + path + b"/reports", reports, b"\1" * 800),
               request(b"POST " + path + b"/enrolments", commitments,
                       b"\0" * 16)]
    admin = [request(b"POST " + path + tail, bearer + json, body)
             for tail, body in ((b"/start", b"{\"invited\": 3}"),
                                (b"/close", b""), (b"/abort", b"{}"),
                                (b"/extend", b"{\"seconds\": 5}"),
                                (b"/invitations", b"{\"count\": 3}"))]
    admin += [request(b"POST /v1/tasks", bearer + json, b"{\"version\": 1}"),
              request(b"DELETE " + path, bearer),
              request(b"GET /metrics", bearer),
              request(b"GET " + path + b"/archive", bearer)]
    return public, admin


def turned(data, coins):
    data = bytearray(data)
    for _ in range(coins.randint(1, 4)):
        at = coins.randrange(len(data) + 1)
        what = coins.randrange(5)
        if what == 0 and data:
            data[at % len(data)] = coins.randrange(256)
        elif what == 1:
            del data[at:at + coins.randint(1, 40)]
        elif what == 2:
            data[at:at] = coins.choice(WORDS)
        elif what == 3:
            data[at:at] = data[at:at + coins.randint(1, 200)]
        else:
            del data[at:]
    return bytes(data)


def send(port, data):
    """The code, or None where nothing was said."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
        s.settimeout(.05)
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            answer = s.recv(4096)
        except OSError:
            return None
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.") else None


def main():
    coins = random.Random("hostile bytes")
    deployment = Deployment(100)
    service = Service(deployment.folder, f"sqlite:{deployment.folder}/k.db",
                      options=("--spread", "0"))
    service.start()
    deployment.create(service)
    task = Task(service, deployment)
    public, admin = templates(task, service.token)
    seen = {}
    for i in range(COUNT):
        door, known = ((service.port, public) if coins.random() < .6 else
                       (service.admin, admin))
        data = turned(coins.choice(known), coins)
        code = send(door, data)
        seen[code] = seen.get(code, 0) + 1
        assert code != 500, data
        assert service.process.poll() is None, (i, data)
    assert sum(n for code, n in seen.items() if code) > COUNT // 20, seen
    assert service.call("GET", "/healthz")[0] == 200
    view = task.view()
    assert not view["rounds"] or sum(
        g["received"] for g in view["rounds"][-1]["groups"]) == 0
    assert service.stop() == 0
    deployment.close()
    print(f"{COUNT} hostile requests: {seen}")


main()
