"""Faults: what is acknowledged is kept and counted once, whatever dies when.

The judge (bed.py) holds the model against the simulation of the same devices,
so a report that is lost, or counted twice, shows.
"""
import random
import socket
import threading
import time

from bed import KITHD_TEST, Deployment, Service

POINTS = ("before commit", "after commit", "before start", "before close",
          "after close", "while counting", "before advance", "inside advance",
          "after advance")


def finish(deployment, services, player, seed=6):
    out, _ = player.communicate(timeout=300)
    assert player.returncode == 0, f"respond: {player.returncode}: {out}"
    for service in services:
        service.ready()  # the last kill may have come as the last report left
    model = deployment.judge(services[0], seed)
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
    """Several processes on one store; one of them is killed at a time."""
    deployment = Deployment(rows)
    where = database(deployment)
    services = [Service(deployment.folder, where, i) for i in range(count)]
    for service in services:
        service.start()
    deployment.create(services[0])
    time.sleep(1.5)  # until all have seen it
    for service in services:
        assert service.call("GET", f"/v1/tasks/{deployment.name}")[0] == 200
    player = deployment.respond(services[0], "--batch", "20")
    done = 0
    while done < kills and player.poll() is None:
        time.sleep(coins.uniform(.05, .4))
        victim = coins.choice(services)
        victim.kill()
        victim.start(wait=False)
        done += 1
    finish(deployment, services, player)
    return done


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


class CuttingProxy:
    """Between kithd and PostgreSQL: now and then a COMMIT is answered by
    silence, before the server has seen it, or after it has done it."""

    def __init__(self, port, coins):
        self.port, self.coins = port, coins
        self.cuts, self.most = {"before": 0, "after": 0}, 0
        self.door = socket.create_server(("127.0.0.1", 0))
        self.own = self.door.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                client, _ = self.door.accept()
                server = socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                return
            pair = [client, server]
            threading.Thread(target=self.up, args=pair, daemon=True).start()
            threading.Thread(target=self.down, args=pair, daemon=True).start()

    def up(self, client, server):
        try:
            while data := client.recv(65536):
                if (b"COMMIT\0" in data and
                        sum(self.cuts.values()) < self.most and
                        self.coins.random() < .3):
                    how = self.coins.choice(("before", "after"))
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

    def down(self, client, server):
        try:
            while data := server.recv(65536):
                client.sendall(data)
        except OSError:
            pass
        self.hang_up(client, server)

    @staticmethod
    def hang_up(*both):
        for end in both:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def cut_inside_commit(postgres, times, coins):
    """Nobody knows whether it was committed: kithd looks, once it can."""
    deployment = Deployment(1500)
    proxy = CuttingProxy(postgres.port, coins)
    where = postgres.fresh().replace(f":{postgres.port}/", f":{proxy.own}/")
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
        time.sleep(coins.uniform(.1, .4))
        began = time.time()
        assert service.stop() == 0
        assert time.time() - began < 10
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
