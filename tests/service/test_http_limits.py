#!/usr/bin/env python3
"""What one sender may take from the others: rates by address, connections,
slow senders, long headers and bodies; and who may say where a request is from."""
import http.client
import os
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bed import Deployment, Service, Task, wait_for  # noqa: E402
from test_http_routes import COMMITMENTS, REPORTS, problem  # noqa: E402


def opened(deployment, number, *options):
    service = Service(deployment.folder,
                      f"sqlite:{deployment.folder}/{number}.db", number,
                      ("--limit-loopback", *options))
    service.start()
    deployment.create(service)
    return service, Task(service, deployment)


def too_many(answer):
    return answer[0] == 429 and int(answer[1]["Retry-After"]) > 0


def check_rates(deployment):
    """Enrolments 1/s after 20; reports counted one by one, 20/s after 200;
    looks 20/s after 200. Nobody gets more by a word about where it is from."""
    service, task = opened(deployment, 0)
    mine = {**COMMITMENTS, "X-Forwarded-For": "192.0.2.1"}
    codes = [task.post("/enrolments", bytes([i]) * 16, mine)[0]
             for i in range(30)]
    assert codes[:20] == [200] * 20 and 429 in codes[20:], codes
    # One comes back each second, so one of these may be let in; each would be
    # if it were believed.
    assert any(too_many(task.post("/enrolments", bytes([i]) * 16, {
        **COMMITMENTS, "X-Forwarded-For": f"192.0.2.{i}"}))
        for i in range(100, 110))
    code, _, body = task.post("/reports", b"\1" * 80 * 5000, REPORTS)
    assert code == 200 and b'"refused":5000' in body, body
    assert too_many(task.post("/reports", b"\1" * 80, REPORTS))
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    seen = set()
    for _ in range(3000):
        connection.request("GET", f"{task.path}/chain")
        answer = connection.getresponse()
        answer.read()
        seen.add(answer.status)
        if answer.status == 429:
            break
    connection.close()
    assert seen == {200, 429}, seen
    assert service.call("GET", "/healthz")[0] == 200  # these are free
    assert service.stop() == 0


def check_proxy(deployment):
    """A proxy that is named may say who is behind it; the last it says counts,
    for what is before that is the sender's own."""
    service, task = opened(deployment, 1, "--behind-proxy", "127.0.0.1")

    def enrol(name, body):
        return task.post("/enrolments", body,
                         {**COMMITMENTS, "X-Forwarded-For": name})

    assert enrol("192.0.2.1", b"c" * 16 * 1000)[0] == 200
    assert too_many(enrol("192.0.2.1", b"c" * 16))
    assert too_many(enrol("192.0.2.9, 192.0.2.1", b"c" * 16))
    assert enrol("192.0.2.2", b"c" * 16)[0] == 200
    assert enrol("2001:db8::1", b"c" * 16 * 1000)[0] == 200
    assert too_many(enrol("2001:db8::2", b"c" * 16))  # of the same /64
    assert enrol("2001:db8:0:1::1", b"c" * 16)[0] == 200
    assert service.stop() == 0


def ask(port, seconds=60):
    """A connection that was answered and stays; None: it was turned away, or
    has to wait."""
    s = socket.create_connection(("127.0.0.1", port), timeout=seconds)
    try:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        if s.recv(65536):
            return s
    except OSError:
        pass
    s.close()
    return None


def check_connections(deployment):
    """At most so many at once, of all and of one address; who says nothing is
    dropped, whatever was sent before."""
    for number, options in ((2, ("--connections", "12", "--threads", "1")),
                            (3, ("--connections-each", "12"))):
        service, _ = opened(deployment, number, *options)
        held = [ask(service.port) for _ in range(12)]
        assert all(held), held
        assert ask(service.port, 1) is None
        for s in held:
            s.close()

        def back():
            s = ask(service.port)
            if s:
                s.close()
            return s

        wait_for(back)
        assert service.stop() == 0
    service, task = opened(deployment, 4, "--timeout", "1")
    half = (f"POST {task.path}/reports HTTP/1.1\r\nHost: x\r\nContent-Type: "
            "application/vnd.kith.report\r\nContent-Length: 80\r\n\r\nhalf of")
    for words in (b"", b"GET /healthz HT", half.encode()):
        with socket.create_connection(("127.0.0.1", service.port),
                                      timeout=60) as s:
            s.sendall(words)
            try:
                end = s.recv(65536)
            except ConnectionResetError:
                end = b""
            assert not end or b" 408 " in end, end
    assert service.stop() == 0


def check_sizes(deployment):
    """A body of at most 1 MiB, headers of at most 32 KiB."""
    service, task = opened(deployment, 5)
    with socket.create_connection(("127.0.0.1", service.port),
                                  timeout=60) as s:
        s.sendall((f"POST {task.path}/reports HTTP/1.1\r\nHost: x\r\n"
                   "Content-Type: application/vnd.kith.reports\r\n"
                   f"Content-Length: {(1 << 20) + 1}\r\n\r\n").encode())
        assert b" 413 " in s.recv(65536)
    problem(task.post("/reports", b"\1" * 80 * 10001, REPORTS), 400,
            "bad_report")
    try:
        code = task.get("/chain", {"X-Long": "x" * 40000})[0]
    except (http.client.HTTPException, OSError):
        code = 431  # cut off before all of it was sent
    assert code in (413, 431), code
    assert service.stop() == 0


def main():
    deployment = Deployment(100)
    check_rates(deployment)
    check_proxy(deployment)
    check_connections(deployment)
    check_sizes(deployment)
    deployment.close()
    print("rates, proxy, connections, sizes: ok")


main()
