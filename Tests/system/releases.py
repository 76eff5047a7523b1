"""An installed server with built agents: a copy of the program, and the files that a package puts beside it."""

import os
import shutil
import subprocess

from harness import BIN, ROOT, SERVER, Server, make_directory

AGENT = BIN / "monitor-agent"
PLATFORM = f"linux-{os.uname().machine}"


def make_key(path):
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, capture_output=True, timeout=60)
    return path


def stand_in(path, version):
    """A program that only tells the version."""
    path.write_text(f'#!/bin/sh\n[ "$1" = version ] && echo "monitor-agent {version}"\n')
    path.chmod(0o755)
    return path


class Installation:
    """`bin` and `share` of an installed server."""

    def __init__(self):
        self.prefix = make_directory()
        (self.prefix / "bin").mkdir()
        shutil.copy(SERVER, self.prefix / "bin")
        self.share = self.prefix / "share/claude-monitor"
        self.share.mkdir(parents=True)
        for name in ("hooks", "migrations", "web"):
            (self.share / name).symlink_to(ROOT / name)

    def release(self, program, key=None):
        """Makes a release of the program, as `make dist` does."""
        environment = {name: value for name, value in os.environ.items() if name != "AGENT_SIGNING_KEY"}
        if key:
            environment["AGENT_SIGNING_KEY"] = str(key)
        subprocess.run([ROOT / "scripts/describe-agent", program, self.share / "agent"], check=True, env=environment,
                       capture_output=True, timeout=60)

    @property
    def description(self):
        return dict(line.split("=", 1) for line in (self.share / "agent" / PLATFORM / "release").read_text().splitlines())

    def server(self, **settings):
        server = Server(MONITOR_RATE_LIMIT="off", **settings)
        server.program = self.prefix / "bin/monitor-server"
        return server
