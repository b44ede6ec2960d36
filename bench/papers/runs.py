"""Runs of the command, each made once: they are kept, one JSON line a run, so
that what was interrupted goes on where it stopped."""
import concurrent.futures
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402 (neighbours of this folder)
import prepare  # noqa: E402
from cases import DATASETS  # noqa: E402

KEPT = os.path.join(measure.CACHE, "papers.jsonl")


class Skip(Exception):
    """What a run needs is not here."""


class Stopped(Exception):
    """A run was interrupted."""


def cpu_seconds():
    """CPU time of this process and of the children that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF,
                                                resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class Runs:
    """Jobs that were asked for, and the results that are known."""

    def __init__(self, kith, kept=KEPT):
        os.makedirs(measure.CACHE, exist_ok=True)
        self.kith, self.kept = kith, kept
        with open(kith, "rb") as file:
            self.build = hashlib.sha256(file.read()).hexdigest()[:12]
        self.known, self.jobs, self.skipped = {}, {}, {}
        self.asked = set()
        self.lock = threading.Lock()
        self.spent = 0
        self.data = measure.Data(measure.Build(os.path.join(ROOT, "build",
                                                            "release")))
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                for line in file:
                    run = json.loads(line)
                    self.known[run["key"]] = run

    def want(self, job, seconds, *key):
        """job(folder) makes the result, a dictionary, in about so many seconds
        of CPU time. Asked for by its key later on."""
        name = json.dumps(key)
        self.asked.add(name)
        if name not in self.known:
            self.jobs[name] = (job, seconds)

    def get(self, *key):
        """The result, or None."""
        found = self.known.get(json.dumps(key))
        return found["result"] if found else None

    def path(self, name):
        path = self.data.path(name)
        if not path:
            raise Skip("the set %s cannot be had (bench/DATA.md; KITH_DATA)"
                       % name)
        return path

    def bounds(self, name):
        """Boxes where the meaning of the features gives one."""
        return ("--bounds", "0:1") if name == "mnist" else DATASETS[name].bounds

    # ---- running ---------------------------------------------------------

    def command(self, *arguments, notes=False):
        """Run the command; (standard output, or its notes, CPU seconds)."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen([self.kith, *map(str, arguments)],
                                     stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            if child.returncode < 0:  # Ctrl-C reaches it too
                raise Stopped
            if child.returncode:
                raise Skip("kith %s: %s" % (" ".join(map(str, arguments)),
                                            err.read().decode().strip()))
            text = (err if notes else out).read().decode()
            return text, usage.ru_utime + usage.ru_stime

    def cluster(self, folder, path, *arguments):
        """Cost per row and CPU seconds of `kith kmeans` on a file."""
        model = os.path.join(folder, "model.json")
        _, cpu = self.command("kmeans", *arguments, "--threads", 1, "--quiet",
                              "--force", "-o", model, path)
        with open(model, encoding="utf-8") as file:
            known = json.load(file)
        text, _ = self.command("evaluate", model, path)
        return {"cost": self.cost_in(text), "cpu": cpu,
                "guarantee": known["privacy"]["guarantee"]}

    def refusal(self, folder, *arguments):
        """Why the command will not run this: its last message."""
        model = os.path.join(folder, "model.json")
        done = subprocess.run(
            [self.kith, *map(str, arguments[:-1]), "-o", model,
             str(arguments[-1])], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            raise Skip("kith runs what it refused: " + " ".join(
                map(str, arguments)))
        said = done.stderr.strip().split("kith ")[-1]
        return {"says": " ".join(said.split(": ", 1)[1].split())}

    def held(self, folder, *arguments):
        """The guarantee that the model of an unseeded run states."""
        model = os.path.join(folder, "model.json")
        self.command(*arguments[:-1], "--threads", 1, "--quiet", "--force",
                     "-o", model, arguments[-1])
        with open(model, encoding="utf-8") as file:
            return {"guarantee": json.load(file)["privacy"]["guarantee"]}

    @staticmethod
    def cost_in(text):
        return json.loads(text)["cost_per_row"]

    def one(self, name):
        job, _ = self.jobs[name]
        try:
            with tempfile.TemporaryDirectory() as folder:
                result = job(folder)
        except Stopped:
            return
        except (Skip, prepare.Missing, ImportError, SystemExit) as why:
            with self.lock:
                self.skipped.setdefault(str(why), []).append(name)
            return
        with self.lock, open(self.kept, "a", encoding="utf-8") as file:
            # What was used since the last line: their sum is the whole.
            before, self.spent = self.spent, cpu_seconds()
            line = {"key": name, "build": self.build, "result": result,
                    "cpu": round(self.spent - before, 2)}
            file.write(json.dumps(line) + "\n")
            self.known[name] = line

    def make(self, workers):
        """Make what is missing, the first seed of everything before the second
        of anything. When it is interrupted, what was made is kept."""
        waiting = sorted(self.jobs, key=lambda name: json.loads(name)[-1])
        total = sum(self.jobs[n][1] for n in waiting) or 1
        done, start = 0, time.time()
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            running = {pool.submit(self.one, n): n for n in waiting}
            try:
                for i, future in enumerate(
                        concurrent.futures.as_completed(running)):
                    future.result()
                    done += self.jobs[running[future]][1]
                    self.progress(i + 1, len(waiting), done / total, start)
            except KeyboardInterrupt:
                print("\npapers: stopped; the same command goes on from here",
                      file=sys.stderr)
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # once will do
                pool.shutdown(cancel_futures=True)
            except BaseException:  # a mistake in a job: tell it now
                pool.shutdown(cancel_futures=True)
                raise
        for why, names in self.skipped.items():
            print("SKIPPED %d runs: %s" % (len(names), why), file=sys.stderr)

    @staticmethod
    def progress(count, of, part, start):
        left = (time.time() - start) * (1 - part) / max(part, 1e-9)
        bar = "#" * round(30 * part)
        text = "papers [%-30s] %d of %d runs, about %d min left" % (
            bar, count, of, round(left / 60))
        if sys.stderr.isatty():
            print("\r" + text, end="\n" if count == of else "", file=sys.stderr,
                  flush=True)
        elif count % 20 == 0 or count == of:
            print(text, file=sys.stderr, flush=True)
