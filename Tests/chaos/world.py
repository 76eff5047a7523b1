"""One database, one server (two in the world "pair"), their machines and devices, and the faults that happen to them."""

import signal
import time
from contextlib import ExitStack, contextmanager

import plan
from faults import Skip
from ledger import Ledger
from postgres import SQL, Cluster, kill_postmaster, postmaster_pid
from producers import HookMachine, Producer
from prompts import Asker, Person
from proxy import Proxy
from reports import Reporter
from server import Server
from subscribers import Audience, EventSource, Socket
from system import is_alive, pids_with_environment, say, wait_until

# A world that stays up stores about 15,000 events a minute, and the check by a rebuild sorts all of them in files of its own.
DISK_MEBIBYTES = 1024
RECOVERY_SECONDS = 60


class World:
    def __init__(self, kind, seed, workplace, options):
        self.kind, self.seed, self.workplace, self.options = kind, seed, workplace, options
        self.disk, self.is_small_disk = workplace.directory(kind, DISK_MEBIBYTES)
        self.cluster = self.proxy = self.audience = None
        self.ledger = Ledger()
        self.producers, self.hooks, self.keys = [], [], []
        # The machines whose hooks wait for an answer, and the person who answers.
        self.askers, self.person = [], None
        # Machines that export telemetry and send transcripts.
        self.reporters = []
        # This machine posts only when a fault needs it.
        self.single = []
        self.history, self.faults, self.in_log, self.left_over = [], [], set(), []
        self.healthy_after = self.drained_after = self.settled_after = None
        self.files_at_start = 0
        url = None
        if kind != "private":
            (self.disk / "cluster").mkdir()
            self.cluster = Cluster(self.disk / "cluster")
            self.proxy = Proxy(workplace.path / f"{kind}-proxy", self.cluster.socket)
            self.pgdata, self.sql = self.cluster.data, self.cluster.sql
            url = f"postgresql://monitor@/monitor?host={str(self.proxy.directory).replace('/', '%2F')}"
        self.data = self.disk / "data"
        if kind == "private":
            self.pgdata = self.data / "postgres/data"
            self.sql = SQL(self.data / "postgres/socket", "monitor", "monitor")
        self.log = workplace.path / f"{kind}.log"
        self.server = Server(workplace, options.server, self.data, self.log, url)
        # Another server on the same database, only in the world "pair".
        self.second = None
        if kind == "pair":
            self.second = Server(workplace, options.server, self.disk / "second", workplace.path / "second.log", url)

    def begin(self):
        if self.cluster:
            self.cluster.create()
            self.proxy.start()
        self.server.start()
        if not self.server.wait_until_healthy(60):
            raise RuntimeError(f"the server does not start: {self.log.read_text()[-1500:]}")
        self._make_machines()
        if self.second:
            # The second server reads these keys at its start.
            self.second.start()
            if not self.second.wait_until_healthy(60):
                raise RuntimeError(f"the second server does not start: {self.second.log.read_text()[-1500:]}")
        self._make_audience()
        self.files_at_start = self.server.open_files()
        for machine in [*self.producers, *self.hooks, *self.reporters, self.person]:
            machine.start()

    def _make_machines(self):
        for number, (batch, gives_up) in enumerate(((1, 0), (1, 0), (20, 0), (80, 0), (3, 0.3))):
            name = f"{self.kind}-machine-{number}"
            server = self.second if self.second and number % 2 else self.server
            self.producers.append(Producer(name, server, self._key(name), self.ledger, f"{self.seed}/{name}",
                                           batch, gives_up))
        for number in range(2):
            name = f"{self.kind}-asker-{number}"
            server = self.second if self.second and number else self.server
            self.askers.append(Asker(name, server, self._key(name), self.ledger, f"{self.seed}/{name}"))
        self.producers += self.askers
        self.person = Person(self.server, f"{self.seed}/person")
        self.person.pair()
        for number in range(2):
            name = f"{self.kind}-hooks-{number}"
            self.hooks.append(HookMachine(name, self.server, self._key(name), self.workplace, f"{self.seed}/{name}"))
        for number in range(2):
            name = f"{self.kind}-reports-{number}"
            server = self.second if self.second and number else self.server
            self.reporters.append(Reporter(name, server, self._key(name), self.ledger, f"{self.seed}/{name}"))
        self.some_key = self._key("half-open")
        name = f"{self.kind}-machine-single"
        self.single.append(Producer(name, self.server, self._key(name), self.ledger, f"{self.seed}/{name}"))

    def _key(self, name):
        self.keys.append(self.server.new_key(name))
        return self.keys[-1]

    def _make_audience(self):
        session, hooked = self.producers[2].sessions[0], self.hooks[0].session
        # They have the same filter, and are enough that one system call writes to all of them.
        twins = tuple((Socket, f"socket-twin-{number}", {"slow": number == 3}) for number in (1, 2, 3))
        plans = ((Socket, "socket", {}), *twins, (Socket, "socket-session", {"session": session}),
                 (Socket, "socket-types", {"types": {"tool", "tool_failure"}}), (Socket, "socket-slow", {"slow": True}),
                 (Socket, "socket-restless", {"life": (0.5, 6)}),
                 (Socket, "socket-hooks-restless", {"session": hooked, "life": (1, 8)}),
                 (EventSource, "sse", {}), (EventSource, "sse-restless", {"life": (0.5, 6)}),
                 (EventSource, "sse-session", {"session": self.producers[0].sessions[1], "life": (2, 10)}),
                 (EventSource, "sse-slow", {"slow": True, "types": {"prompt", "stop"}}))
        self.audience = Audience([kind(name, self.server, f"{self.seed}/{self.kind}/{name}", **options)
                                  for kind, name, options in plans])
        self.audience.start()
        if not wait_until(20, self.audience.all_have_begun):
            raise RuntimeError("subscribers do not get in")

    def writer_backend(self):
        try:
            found = self.sql.lines("SELECT pid FROM pg_stat_activity WHERE application_name = 'claude-monitor writer'")
        except RuntimeError:
            return 0
        return int(found[0]) if found else 0

    @contextmanager
    def silence(self):
        """The machines send all that they have, and begin nothing new."""
        machines = self.producers + self.hooks + self.reporters
        for machine in machines:
            machine.silent.set()
        try:
            if not wait_until(30, lambda: not self.ledger.open_count() and not any(
                    machine.waiting() for machine in self.hooks), 0.2):
                raise Skip("the machines do not come to rest within 30 s")
            yield
        finally:
            for machine in machines:
                machine.silent.clear()

    def expect_all_to_be_seen(self, seconds):
        head = self._head()
        steady = [one for one in self.audience.subscribers if not (one.session or one.types or one.life or one.slow)]
        if not wait_until(seconds, lambda: all(one.seq >= head for one in steady)):
            places = ", ".join(f"{one.name} at {one.seq}" for one in steady)
            self.faults.append(f"the log ends at {head}, and {seconds} s later {places}")
            say(f"FAULT: {self.faults[-1]}")

    def torment(self, seconds):
        deadline = time.monotonic() + seconds
        for pause, fault, chance in plan.schedule(self.seed, self.kind, self.options.short, self.options.only):
            if time.monotonic() + pause >= deadline:
                break
            time.sleep(pause)
            self._suffer(fault, chance)

    def _suffer(self, fault, chance):
        name = fault.__name__.replace("_", " ")
        say(f"{self.kind}: {name}")
        began = time.monotonic()
        try:
            word = fault(self, chance) or ""
        except Skip as reason:
            say(f"{self.kind}: {name}: skipped: {reason}")
            self.history.append((name, None, None))
            return
        except (RuntimeError, OSError) as error:
            # The database may still be unavailable because of an earlier fault.
            word = f"only partly: {error}"
        healed = time.monotonic()
        if not wait_until(RECOVERY_SECONDS, lambda: self.ledger.committed_since(healed), 0.02):
            self.faults.append(f"{name}: no acknowledgement within {RECOVERY_SECONDS} s; "
                               f"/health {self.server.health()}")
            say(f"FAULT: {self.faults[-1]}")
        recovered = time.monotonic()
        self.history.append((name, healed - began, recovered - healed))
        say(f"{self.kind}: {name}: {word + '; ' if word else ''}lasted {healed - began:.2f} s, "
            f"acknowledging again {recovered - healed:.2f} s later")

    def heal(self):
        """Ends the load, and waits with a limit until everything has arrived everywhere."""
        self.healthy_after = self._timed(RECOVERY_SECONDS, self.server.is_healthy)
        if self.second:
            self._stop_producers_of(self.second)
        for machine in self.producers + self.hooks + self.reporters:
            machine.stopping.set()
        self.audience.calm()
        machines = self.producers + self.hooks + self.reporters
        wait_until(60, lambda: not any(machine.is_alive() for machine in machines))
        for producer in self.producers + self.single + self.reporters:
            producer.abandoning.set()
        for producer in self.producers + self.reporters:
            producer.join(35)
        # The person may still wait for the result of an answer.
        wait_until(20, lambda: self.person.wanted.keys() <= self.person.given.keys() | self.person.refused.keys())
        self.person.stopping.set()
        self.person.join(20)
        self.drained_after = self._timed(100, lambda: not any(machine.waiting() for machine in self.hooks))
        # The server's spool may still be replayed. Nothing may be in transit when the table is read.
        self.settled_after = self._timed(60, self._has_all_acknowledged)
        head = [-1]

        def is_quiet():
            previous, head[0] = head[0], self._head()
            return head[0] == previous and head[0] > 0
        wait_until(30, is_quiet, 1.0)

    def _stop_producers_of(self, server):
        """A server looks for the commits of other servers when it commits. Therefore the commits of the subscribers' server
        must be the last ones."""
        server.wait_until_healthy(RECOVERY_SECONDS)
        mine = [one for one in self.producers + self.reporters if one.server is server]
        for producer in mine:
            producer.stopping.set()
        for producer in mine:
            producer.join(35)
        time.sleep(2)

    def _has_all_acknowledged(self):
        try:
            return self.ledger.acknowledged.keys() <= set(self.sql.lines("SELECT event_id FROM event_ids"))
        except RuntimeError:
            return False

    def _head(self):
        try:
            return int(self.sql.lines("SELECT last_seq FROM log_head")[0])
        except (RuntimeError, IndexError):
            return -1

    @staticmethod
    def _timed(seconds, condition):
        began = time.monotonic()
        return time.monotonic() - began if wait_until(seconds, condition, 0.2) else None

    def end(self):
        """Ends each part, even if another part fails to end."""
        for machine in self.producers + self.hooks + self.reporters:
            machine.stopping.set()
        for producer in self.producers + self.single + self.reporters:
            producer.abandoning.set()
        if self.person:
            self.person.stopping.set()
        with ExitStack() as parts:
            if self.cluster:
                parts.callback(self.cluster.end)
            if self.proxy:
                parts.callback(self.proxy.end)
            parts.callback(self._note_what_is_left)
            parts.callback(self.server.end)
            if self.second:
                parts.callback(self.second.end)
            if self.audience:
                parts.callback(self.audience.end)

    def _note_what_is_left(self):
        self.left_over = [f"{pid} {command(pid)}" for pid in pids_with_environment(self.workplace.mark)]
        pid = postmaster_pid(self.pgdata) if self.kind == "private" else 0
        if pid:
            self.left_over.append(f"{pid} postmaster of {self.pgdata}")
            kill_postmaster(self.pgdata, signal.SIGQUIT)
            wait_until(10, lambda: not is_alive(pid))


def command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")[:120]
    except OSError:
        return "?"
