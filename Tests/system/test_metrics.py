"""All of /metrics. The dashboard and the alerts use no other metrics."""

import json
import re
import shutil
import subprocess
import unittest

import pushing
from harness import Client, ROOT, Server, make_directory, wait_for

NAME = re.compile(r"\b(?:monitor|process)_[a-z_]+\b")
DASHBOARD = ROOT / "deploy/grafana-dashboard.json"
ALARMS = ROOT / "deploy/prometheus-alerts.yml"


def samples(text):
    """The value of each sample, by name and labels."""
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
            for line in text.splitlines() if not line.startswith("#")}


# A name that breaks a rule and is kept for one more version.
DEPRECATED = ["monitor_price_list_age_days"]
# The words in names that `promtool check metrics` reports: units that are not base units, and abbreviations.
WRONG_UNITS = {"days", "hours", "minutes", "weeks", "milliseconds", "microseconds", "nanoseconds", "kilobytes", "megabytes",
               "gigabytes", "bits", "percent", "celsius", "s", "ms", "us", "ns", "sec", "min", "hr", "kb", "mb", "gb", "b"}


def current(text):
    return "".join(line + "\n" for line in text.splitlines() if not any(name in line for name in DEPRECATED))


def faults(text):
    """The violations of Prometheus' rules for names and types."""
    help_of, type_of = dict(re.findall(r"^# HELP (\S+) (.+)$", text, re.M)), dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    for name in re.findall(r"^([^#\s{]+)", text, re.M):
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        if type_of.get(base) != "histogram":
            base = name
        if base not in help_of or base not in type_of:
            yield f"{base} has no help or no type"
    for name, kind in type_of.items():
        words = name.split("_")
        if (kind == "counter") != (words[-1] == "total"):
            yield f"{name}: counters end with total, and nothing else does"
        if words[-1] in ("bucket", "sum", "count", "info"):
            yield f"{name}: the end is reserved"
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or {"counter", "gauge", "histogram", "summary"} & set(words):
            yield f"{name}: lower case, without the type"
        if WRONG_UNITS & set(words):
            yield f"{name}: not the base unit"
    for label in re.findall(r"[{,]([A-Za-z_]+)=", text):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", label):
            yield f"label {label}: lower case"


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Everything that has metrics is on. The device for delivery probes does not exist, so no push is sent.
        directory = make_directory("metrics-test.")
        key = pushing.make_key(directory)
        mock = pushing.oracle(directory, key)
        cls.server = Server(**pushing.settings(key, mock, APNS_CANARY_DEVICE="1", MONITOR_RATE_LIMIT=None)).start()
        cls.admin = Client(cls.server.address, cls.server.admin)
        cls.machine = Client(cls.server.address, cls.server.key("metrics"))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def scrape(self):
        answer = self.admin.get("/metrics")
        self.assertEqual(answer.status, 200)
        return answer.body.decode()

    def post(self, count):
        body = [{"data": {"hook_event_name": "Stop", "session_id": "metrics"}} for _ in range(count)]
        self.assertEqual(self.machine.request("POST", "/api/events", body).status, 202)

    def test_a_commit_is_seen_in_every_histogram_on_its_way(self):
        before = samples(self.scrape())
        self.post(7)

        def grown(name, amount):
            now = samples(self.scrape())
            return now[name] - before.get(name, 0) >= amount
        for name, amount in (("monitor_commit_seconds_count", 1), ("monitor_commit_events_count", 1),
                             ("monitor_commit_events_sum", 7), ("monitor_commit_queue_bytes_count", 1),
                             ("monitor_fanout_seconds_count", 1), ('monitor_events_total{outcome="accepted"}', 7)):
            wait_for(lambda name=name, amount=amount: grown(name, amount), f"{name} grows by {amount}")

    def test_histograms_are_cumulative(self):
        self.post(3)
        text = self.scrape()
        for name in re.findall(r"# TYPE (\S+) histogram", text):
            found = samples(text)
            buckets = [value for key, value in found.items() if key.startswith(name + "_bucket")]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual(buckets[-1], found[name + "_count"])

    def test_exactly_one_state_holds(self):
        found = samples(self.scrape())
        for name, current in (("monitor_database_state", "healthy"), ("monitor_spool_state", "ready")):
            states = {key: value for key, value in found.items() if key.startswith(name + "{")}
            self.assertEqual(sum(states.values()), 1, states)
            self.assertEqual(states[f'{name}{{state="{current}"}}'], 1)

    def test_a_session_that_waits_is_counted(self):
        ask = {"hook_event_name": "PermissionRequest", "session_id": "waits", "tool_name": "Bash",
               "tool_input": {"command": "ls"}}
        self.assertEqual(self.machine.request("POST", "/api/hooks", ask).status, 200)
        wait_for(lambda: samples(self.scrape())["monitor_sessions_waiting"] == 1, "the session waits")
        self.assertGreaterEqual(samples(self.scrape())['monitor_sessions{status="active"}'], 1)
        end = {"hook_event_name": "SessionEnd", "session_id": "waits", "reason": "other"}
        self.assertEqual(self.machine.request("POST", "/api/hooks", end).status, 200)
        wait_for(lambda: samples(self.scrape())["monitor_sessions_waiting"] == 0, "nobody waits")

    def test_what_the_process_takes_is_told(self):
        found = samples(self.scrape())
        self.assertGreater(found["process_resident_memory_bytes"], 1 << 20)
        self.assertGreater(found["process_open_fds"], 5)
        self.assertGreater(found["process_max_fds"], found["process_open_fds"])
        self.assertGreater(found["monitor_disk_bytes"], found["monitor_disk_free_bytes"])

    def test_dashboard_and_alarms_ask_only_for_what_is_there(self):
        self.post(1)
        wait_for(lambda: "monitor_maintenance_age_seconds" in self.scrape(), "maintenance has run")
        text = self.scrape()
        known = {re.match(r"[a-z_]+", key).group() for key in samples(text)}
        asked = {DASHBOARD.name: [target["expr"] for panel in json.loads(DASHBOARD.read_text())["panels"]
                                  for target in panel["targets"]],
                 ALARMS.name: re.findall(r"expr: (.*)", ALARMS.read_text())}
        for file, expressions in asked.items():
            self.assertGreater(len(expressions), 10)
            for expression in expressions:
                names = NAME.findall(expression)
                self.assertTrue(names or expression.startswith("up{"), f"{file}: {expression}")
                self.assertEqual([name for name in names if name not in known], [], f"{file}: {expression}")
        told = "".join((ROOT / "docs" / name).read_text() for name in ("operations.md", "push-operation.md"))
        for alarm in re.findall(r"alert: (\w+)", ALARMS.read_text()):
            self.assertIn(f"`{alarm}`", told, "each alarm is explained")
        for name in re.findall(r"# TYPE (\S+)", text):
            self.assertIn(name, told, "each metric is explained")

    def test_the_metrics_keep_the_rules_of_prometheus(self):
        self.assertEqual(list(faults(current(self.scrape()))), [])
        # Each rule must be able to find something.
        for text in ("# TYPE a gauge\na 1\n", "# HELP a x\na 1\n", "# HELP a x\n# TYPE a counter\na 1\n",
                     "# HELP a_total x\n# TYPE a_total gauge\na_total 1\n", "# HELP a_count x\n# TYPE a_count gauge\na_count 1\n",
                     "# HELP a_days x\n# TYPE a_days gauge\na_days 1\n", "# HELP a_ms x\n# TYPE a_ms gauge\na_ms 1\n",
                     "# HELP aB x\n# TYPE aB gauge\naB 1\n", "# HELP a_gauge x\n# TYPE a_gauge gauge\na_gauge 1\n",
                     "# HELP a x\n# TYPE a gauge\na{bC=\"1\"} 1\n"):
            self.assertTrue(list(faults(text)), text)

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool (Debian: prometheus)")
    def test_promtool_finds_nothing_wrong(self):
        for command, given in ((["check", "rules", str(ALARMS)], None), (["check", "metrics"], current(self.scrape()))):
            done = subprocess.run(["promtool", *command], input=given, text=True, capture_output=True, timeout=30)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
