"""Telemetry in the settings: it is set up and removed with the hooks, and other telemetry settings are not changed."""

import json
import os
import subprocess
import unittest

from install_support import OTHERS, InstallCase
from support import BASH, HOOKS, KEY

OURS = {"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}


class Telemetry(InstallCase):
    def value(self):
        return json.loads(self.text())

    def wanted(self):
        return {**OURS, "OTEL_EXPORTER_OTLP_ENDPOINT": self.url}

    def test_settings_and_headers(self):
        said = self.install()
        self.assertEqual(self.value()["env"], self.wanted())
        self.assertNotIn(KEY, self.text())
        self.assertIn("telemetry (tokens, cost; no content)", said)
        for endpoint, headers in ((None, {"Authorization": "Bearer " + KEY}), (self.url + "/v1/logs", {"Authorization": "Bearer " + KEY}),
                                  ("http://127.0.0.1:9", {}), (self.url + "1", {}), (self.url + "@evil.example", {})):
            with self.subTest(endpoint):
                env = self.machine.env(OTEL_EXPORTER_OTLP_ENDPOINT=self.url, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=endpoint,
                                       CLAUDE_MONITOR_URL="http://evil.example", CLAUDE_MONITOR_KEY=KEY)
                done = subprocess.run(["sh", "-c", self.value()["otelHeadersHelper"]], env=env, stdout=subprocess.PIPE,
                                      timeout=10, check=True)
                self.assertEqual(json.loads(done.stdout), headers)

    def test_install_again_and_uninstall(self):
        for text in (OTHERS, OTHERS.replace("    ", "\t").replace("\n", "\r\n"), "{}\n", '{"model":"opus","env":{"A":"b"}}',
                     '{\n  "env": {},\n  "a": 1\n}\n', '{\n  "env": {\n    "A": "b",\n    "C": "d"\n  }\n}\n'):
            with self.subTest(text[:40]):
                self.write(text)
                self.install()
                before = self.text()
                self.assertEqual({name: self.value()["env"].get(name) for name in self.wanted()}, self.wanted())
                self.install()
                self.assertEqual(self.text(), before)
                self.uninstall()
                self.assertEqual(self.text(), text)

    def test_other_address(self):
        self.install()
        self.url = self.url.replace("127.0.0.1", "localhost")
        self.install()
        self.assertEqual(self.value()["env"], self.wanted())
        self.uninstall()
        self.assertFalse(os.path.exists(self.settings))

    def test_without_telemetry(self):
        said = self.install("--no-telemetry")
        self.assertIn("not set up", said)
        self.assertNotIn("env", self.value())
        self.assertNotIn("otelHeadersHelper", self.value())
        self.install()
        self.assertNotIn("env", self.value(), "a later run keeps what was said")
        self.install("--telemetry")
        self.assertEqual(self.value()["env"], self.wanted())
        self.install("--no-telemetry")
        self.assertNotIn("env", self.value())
        self.uninstall()
        self.assertFalse(os.path.exists(self.settings))

    def test_somebody_else_s_telemetry(self):
        for text in ('{\n  "env": {\n    "OTEL_EXPORTER_OTLP_ENDPOINT": "https://other.example"\n  }\n}\n',
                     '{\n  "env": {\n    "CLAUDE_CODE_ENABLE_TELEMETRY": "0"\n  }\n}\n', '{\n  "otelHeadersHelper": "/my/own"\n}\n',
                     '{\n  "env": "odd"\n}\n'):
            with self.subTest(text):
                self.write(text)
                said = self.install()
                self.assertIn("was not changed", said)
                value = self.value()
                del value["hooks"]
                self.assertEqual(value, json.loads(text))
                self.install()
                self.uninstall()
                self.assertEqual(self.text(), text)

    def test_settings_of_the_person_beside_ours(self):
        self.install()
        value = self.value()
        value["env"]["OTEL_LOG_USER_PROMPTS"] = "1"
        self.write(json.dumps(value, indent=2))
        self.install()
        self.uninstall()
        self.assertEqual(self.value(), {"env": {"OTEL_LOG_USER_PROMPTS": "1"}})

    def test_helper_without_a_configuration(self):
        done = subprocess.run([BASH, os.path.join(HOOKS, "otel-headers.sh")], env=self.machine.env(), stdout=subprocess.PIPE,
                              timeout=10, check=True)
        self.assertEqual(json.loads(done.stdout), {})


if __name__ == "__main__":
    unittest.main()
