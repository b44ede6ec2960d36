"""Faults: what is acknowledged is kept and counted once, whatever dies when.

The judge (bed.py) holds the model against the simulation of the same devices,
so a report that is lost, or counted twice, shows.
"""
import random
import socket
import threading
import time

from bed import (KITHD_TEST, Deployment, Service, Task, envelopes, received,
                 wait_for)

POINTS = ("before commit", "after commit", "before start", "before close",
          "after close", "while counting", "before advance", "inside advance",
          "after advance")


def finish(deployment, services, player, seed=6):
    out, _ = player.communicate(timeout=300)
    assert player.returncode == 0, f"respond: {player.returncode}: {out}"
    for service in services:
        service.ready()  # the last kill may have come as the last report left
    try:
        model = deployment.judge(services[0], seed)
    except AssertionError as error:
        raise AssertionError(f"{error}; respond said {out}") from error
    for service in services:
        assert service.stop() == 0
    deployment.close()
    return model, out


def kill_during_ingest(database, kills, coins, rows=3000):
    """kill -9 at random, .05 to .5 s apart, while 8 uploaders retry."""
    deployment = Deployment(rows)
    service = Service(deployment.folder, database(deployment))
    service.start()
    deployment.create(service)
    done = 0
    player = deployment.respond(service, "--batch", "1")
    while done < kills and player.poll() is None:
        time.sleep(coins.uniform(.05, .5))
        service.kill()
        service.start(wait=False)
        done += 1
    finish(deployment, [service], player)
    return done


def kill_at_points(database, coins, points=POINTS):
    """Killed at each named point of commit, close, fold and advance."""
    for point in points:
        deployment = Deployment(2000)
        service = Service(deployment.folder, database(deployment))
        service.start()
        deployment.create(service)
        service.kill()
        once = point == "before start"  # others come by in each round
        service.start(KITHD_TEST, point, 0 if once else coins.randrange(3))
        player = deployment.respond(service, "--batch", "50")
        died = 0
        while player.poll() is None:
            if service.process.poll() is not None:
                assert service.process.returncode == -9
                died += 1
                service.start(KITHD_TEST)
            time.sleep(.02)
        assert died == 1, f"{point}: nobody came by"
        finish(deployment, [service], player)


def kill_in_turn(database, count, kills, coins, rows=3000):
    """Several processes on one store behind a proxy, all of them with work; one
    of them is killed at a time."""
    deployment = Deployment(rows)
    where = database(deployment)
    services = [Service(deployment.folder, where, i) for i in range(count)]
    for service in services:
        service.start()
    deployment.create(services[0])
    for service in services:  # until all have seen it
        wait_for(lambda: service.call(
            "GET", f"/v1/tasks/{deployment.name}")[0] == 200)
    front = Front(services, coins)
    player = deployment.respond(front, "--batch", "20")
    done = 0
    while done < kills and player.poll() is None:
        time.sleep(coins.uniform(.05, .4))
        victim = coins.choice(services)
        victim.kill()
        victim.start(wait=False)
        done += 1
    finish(deployment, services, player)
    front.close()
    return done


def count_together(postgres, count, coins, rows=4000):
    """Several processes on one store, each sent parts of the reports, some to
    more than one of them: all see the same number, which is the true one. None
    refuses what answers a round that it has not seen yet."""
    deployment = Deployment(rows)
    alone = Service(deployment.folder, sqlite(deployment))
    alone.start()
    deployment.create(alone)
    player = deployment.respond(alone)
    assert player.wait(300) == 0
    assert alone.stop() == 0
    first = [e for e in envelopes(f"{deployment.folder}/state.bin")
             if e[56:58] == bytes(2)]
    # The key of a test is its own: the same devices fit another service.
    where = postgres.fresh()
    services = [Service(deployment.folder, where, i) for i in range(count)]
    for service in services:
        service.start()
    deployment.create(services[0])
    tasks = [Task(service, deployment) for service in services]
    for task in tasks:
        wait_for(lambda: task.get("")[0] == 200)
    code, _, body = tasks[0].post("/start", b'{"invited": %d}' % rows,
                                  admin=True)
    assert code == 200, body
    # Who has read the round at one process may answer it at another at once.
    for task in tasks:
        assert task.post("/reports", first[0], {
            "Content-Type": "application/vnd.kith.report"})[0] == 204

    def send(task, seed):
        own = random.Random(seed)
        mine = own.sample(first, len(first) * 2 // 3)
        while mine:
            some, mine = mine[:7], mine[7:]
            code, _, body = task.post("/reports", b"".join(some), {
                "Content-Type": "application/vnd.kith.reports"})
            assert code == 200 and b'"refused":0' in body, (code, body)

    senders = [threading.Thread(target=send, args=(t, coins.random()))
               for t in tasks]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    code, _, body = tasks[0].post("/reports", b"".join(first), {
        "Content-Type": "application/vnd.kith.reports"})
    assert code == 200 and b'"refused":0' in body, (code, body)
    for task in tasks:
        wait_for(lambda: received(task) == len(first))
    time.sleep(1)
    assert [received(task) for task in tasks] == [len(first)] * count
    for service in services:
        assert service.stop() == 0
    deployment.close()
    return len(first)


def restart_store(postgres, times, coins):
    """PostgreSQL stops and starts again, now and then without a word."""
    deployment = Deployment(3000)
    service = Service(deployment.folder, postgres.fresh())
    service.start()
    deployment.create(service)
    player = deployment.respond(service, "--batch", "1")
    for _ in range(times):
        time.sleep(coins.uniform(.2, .6))
        postgres.stop(coins.choice(("fast", "immediate")))
        postgres.start()
    finish(deployment, [service], player)


class Proxy:
    """Carries bytes between whoever connects and one of some ports."""

    def __init__(self, ports, coins):
        self.ports, self.coins = ports, coins
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def connect(self):
        """To any that is there; None: none is."""
        for port in self.coins.sample(self.ports, len(self.ports)):
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                pass
        return None

    def listen(self):
        while True:
            try:
                client, _ = self.door.accept()
            except OSError:
                return
            server = self.connect()
            if not server:
                client.close()
                continue
            for carry, ends in ((self.up, (client, server)),
                                (self.carry, (server, client))):
                threading.Thread(target=carry, args=ends, daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        self.hang_up(source, sink)

    up = carry

    @staticmethod
    def hang_up(*both):
        for end in both:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class CuttingProxy(Proxy):
    """Between kithd and PostgreSQL: now and then a COMMIT is answered by
    silence, before the server has seen it, or after it has done it."""

    def __init__(self, ports, coins):
        self.cuts, self.most = {"before": 0, "after": 0}, 0
        super().__init__(ports, coins)

    def up(self, client, server):
        try:
            while data := client.recv(65536):
                if (b"COMMIT\0" in data and
                        sum(self.cuts.values()) < self.most and
                        self.coins.random() < .3):
                    how = ("before", "after")[sum(self.cuts.values()) % 2]
                    self.cuts[how] += 1
                    if how == "after":
                        # Nothing is told from here on.
                        client.shutdown(socket.SHUT_RDWR)
                        server.sendall(data)
                        time.sleep(.1)
                    break
                server.sendall(data)
        except OSError:
            pass
        self.hang_up(client, server)


class Front:
    """Several services as one, as `Deployment.respond` sees it."""

    def __init__(self, services, coins):
        self.proxies = [Proxy([s.port for s in services], coins),
                        Proxy([s.admin for s in services], coins)]
        self.url, self.operator = (f"http://127.0.0.1:{p.port}"
                                   for p in self.proxies)
        self.token_file = services[0].token_file

    def close(self):
        for proxy in self.proxies:
            proxy.door.close()


def cut_inside_commit(postgres, times, coins):
    """Nobody knows whether it was committed: kithd looks, once it can."""
    deployment = Deployment(1500)
    proxy = CuttingProxy([postgres.port], coins)
    where = postgres.fresh().replace(f":{postgres.port}/", f":{proxy.port}/")
    service = Service(deployment.folder, where)
    service.start()
    deployment.create(service)
    proxy.most = times
    player = deployment.respond(service, "--batch", "4")
    finish(deployment, [service], player)
    proxy.door.close()
    assert min(proxy.cuts.values()) > 0, proxy.cuts
    return proxy.cuts


def stop_under_load(database, times, coins):
    """SIGTERM: every accepted request is answered, within ten seconds."""
    deployment = Deployment(3000)
    service = Service(deployment.folder, database(deployment))
    service.start()
    deployment.create(service)
    player = deployment.respond(service, "--batch", "1")
    for _ in range(times):
        service.ready()
        time.sleep(coins.uniform(.1, .4))
        began = time.time()
        code = service.stop()
        assert code == 0, f"SIGTERM: {code}"
        assert time.time() - began < 30
        service.start(wait=False)
    finish(deployment, [service], player)


def flood(database):
    """One report very often, and the whole ledger again: sums unchanged."""
    deployment = Deployment(3000)
    service = Service(deployment.folder, database(deployment))
    service.start()
    deployment.create(service)
    player = deployment.respond(service)
    out, _ = player.communicate(timeout=300)
    assert player.returncode == 0, out
    model = deployment.judge(service)
    assert model["collected"]["reports"] == 3000
    again = deployment.respond(service, "--again")
    out, _ = again.communicate(timeout=300)
    assert '"task_over": 3000' in out, out
    deployment.judge(service)
    assert service.stop() == 0
    deployment.close()


def sqlite(deployment):
    return f"sqlite:{deployment.folder}/kithd.db"


def seeded(name):
    return random.Random(name)
