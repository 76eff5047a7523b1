"""Runs Schemathesis against a server of its own, once for each credential. Fails if one of the runs does."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))

import harness  # noqa: E402
from harness import Server, envelope, hook, session, tool  # noqa: E402

# Schemathesis leaves these out, because an open WebSocket does not speak HTTP.
SOCKETS = ["--exclude-path", "/ws", "--exclude-path", "/v1/ws"]
# "unsupported_method" is missing, because the library answers TRACE by itself; test_openapi tests unsupported methods. hooks.py has
# the exceptions from "positive_data_acceptance" and "negative_data_rejection".
CHECKS = ",".join(["not_a_server_error", "status_code_conformance", "content_type_conformance",
                   "response_headers_conformance", "response_schema_conformance", "ignored_auth",
                   "missing_required_header", "allow_header_conformance", "use_after_free",
                   "ensure_resource_availability", "positive_data_acceptance", "negative_data_rejection"])
HERE = pathlib.Path(__file__).resolve().parent


def fill(server, key):
    """Posts something of each kind that can be read."""
    client = harness.Client(server.address, key)
    for _ in range(3):
        chosen = session()
        answer = client.request("POST", "/api/events", [
            envelope(hook("SessionStart", chosen, source="startup", model="claude-opus-5-5")),
            envelope(hook("UserPromptSubmit", chosen, prompt="x")), envelope(tool(chosen)),
            envelope(tool(chosen, name="PermissionRequest")),
            envelope(hook("Stop", chosen, last_assistant_message="y"))])
        assert answer.status == 202, answer
    client.close()


def pair(server):
    code = server.client().request("POST", "/v1/pairing").json["code"]
    answer = harness.Client(server.address).request("POST", "/v1/pairing/exchange", {"code": code, "name": "fuzzer"})
    assert answer.status == 200, answer
    return answer.json["access_token"]


def run(program, server, name, credential, options):
    arguments = [program, "--config-file", HERE / "schemathesis.toml", "run", f"{server.url}/openapi.json", *SOCKETS, "--checks", CHECKS, "--workers", "2",
                 "--request-timeout", "20", "--phases", "examples,coverage,fuzzing", "--max-examples", "15",
                 "--continue-on-failure", "--warnings", "off", "--no-color", *options]
    if credential:
        arguments += ["--header", f"Authorization: Bearer {credential}"]
    print(f"==> as {name}", flush=True)
    with tempfile.TemporaryDirectory(prefix="schemathesis.", dir="/tmp") as directory:
        return subprocess.run(arguments, cwd=directory, stdin=subprocess.DEVNULL,
                              env={**os.environ, "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py")}).returncode


def main():
    program, options = sys.argv[1], sys.argv[2:]
    server = Server(MONITOR_RATE_LIMIT="off").start()
    key = server.key("fuzzer")
    fill(server, key)
    failed = []
    # This comes before the fuzzer has used up the attempts to pair.
    device = pair(server)
    # The operator comes last, because it revokes everything that it finds.
    for name, credential in (("nobody", None), ("machine", key), ("device", device), ("admin", server.admin)):
        if run(program, server, name, credential, options):
            failed.append(name)
    healthy = server.health()[0] == 200
    print(f"schemathesis: {'failed as ' + ', '.join(failed) if failed else 'passed'}; "
          f"afterwards the server is {'healthy' if healthy else 'NOT healthy'}", flush=True)
    return 1 if failed or not healthy else 0


try:
    status = main()
finally:
    harness.end_everything()
sys.exit(status)
