"""Installs and uses the tarball and the Debian package, each in a bare Debian system.

Only the package's dependencies are installed there, or those that the tarball's README names. Tests/packaging/run starts this
in a mount namespace of its own. PACKAGES is the folder of the packages, ROOTS the folder for the systems.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from page import check_page  # noqa: E402
from root import Root  # noqa: E402
from unit import Unit  # noqa: E402

PACKAGES = pathlib.Path(os.environ["PACKAGES"])
ROOTS = pathlib.Path(os.environ["ROOTS"])
SESSION = "7d4c1c9e-3f0b-4f7e-9d46-5b8d1f2f7a10"
HOOK = {"session_id": SESSION, "transcript_path": "/home/dev/none.jsonl", "cwd": "/home/dev", "hook_event_name": "SessionStart",
        "source": "startup"}


def free_address():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{listener.getsockname()[1]}"


class Installed(unittest.TestCase):
    def system(self, name):
        return Root(ROOTS / name)

    def use(self, root, unit, share):
        """What a person does with a new server: start, page, key, hook, event, stop."""
        unit.start()
        self.addCleanup(unit.end)
        unit.wait_healthy()
        check_page(unit.url)
        status = pathlib.Path(f"/proc/{unit.process.pid}/status").read_text()
        uid = root.run("id", "-u", unit.user).stdout.strip()
        self.assertNotEqual(uid, "0")
        self.assertIn("Uid:\t" + "\t".join([uid] * 4), status)
        key = unit.control("key", "create", "bare-system").strip()
        self.assertRegex(key, r"^cmk_\S+$")
        root.run("useradd", "--create-home", "dev")
        dev = {"user": "dev", "HOME": "/home/dev"}
        root.run(f"{share}/hooks/install.sh", "--url", unit.url, "--key", "-", "--claude-version", "2.1.0", "--agent", "--yes",
                 "--no-service", "--root", "/home/dev", text=key + "\n", **dev)
        found = root.run("/home/dev/.local/bin/monitor-agent", "doctor", check=False, **dev)
        self.assertIn("accepts the machine's key", found.stdout + found.stderr)
        root.run("/home/dev/.local/share/claude-monitor/hooks/session-monitor.sh", text=json.dumps(HOOK), **dev)
        deadline = time.monotonic() + 30
        while SESSION not in (shown := unit.control("events", "--session", SESSION, "--json")):
            self.assertLess(time.monotonic(), deadline, "the event does not arrive")
            time.sleep(0.3)
        self.assertEqual(len(shown.splitlines()), 1, shown)
        self.assertIn(SESSION[:8], unit.control("events"))
        self.assertEqual(unit.stop(), 0, unit.log.read_text())
        self.assertEqual(list((root.folder / "var/lib/claude-monitor").glob("**/postmaster.pid")), [])


class Tarball(Installed):
    def test_as_its_readme_says(self):
        [archive] = PACKAGES.glob("claude-monitor-*-linux-*.tar.gz")
        root = self.system("tarball")
        shutil.copy(archive, root.folder / "root")
        root.run("tar", "-xzf", f"/root/{archive.name}", "-C", "/root")
        folder = "/root/" + archive.name.removesuffix(".tar.gz")
        for name in ("LICENSE", "README.md", "lib/systemd/system/claude-monitor.service"):
            self.assertTrue(root.has(f"{folder[1:]}/{name}"), name)
        readme = (root.folder / folder[1:] / "README.md").read_text()
        self.assertNotRegex(readme, "@[A-Z]+@")
        install = re.search(r"```sh\n(.*?)```", readme, re.DOTALL).group(1)
        self.assertIn("apt-get install", install)
        root.run("bash", "-ec", f'cd {folder}\nsudo() {{ "$@"; }}\n{install}')
        unit = Unit(root, "etc/systemd/system/claude-monitor.service")
        self.assertEqual(unit.user, "claude-monitor")
        unit.settings["MONITOR_LISTEN"] = free_address()
        self.use(root, unit, "/usr/local/share/claude-monitor")


class DebianPackage(Installed):
    def systemctl(self):
        """The arguments of systemctl since the last call of this method. Replaces systemctl with a stand-in that records them."""
        calls = self.root.folder / "root/systemctl"
        told = calls.read_text().splitlines() if calls.exists() else []
        calls.write_text("")
        self.root.write("usr/bin/systemctl", '#!/bin/sh\necho "$*" >>/root/systemctl\n', 0o755)
        (self.root.folder / "run/systemd/system").mkdir(parents=True, exist_ok=True)
        return told

    def no_systemd(self):
        shutil.rmtree(self.root.folder / "run/systemd")

    def test_install_use_upgrade_remove_purge(self):
        [package] = PACKAGES.glob("claude-monitor_*.deb")
        root = self.root = self.system("deb")
        shutil.copy(package, root.folder / "root")
        self.systemctl()
        root.install(f"/root/{package.name}")
        self.assertEqual(self.systemctl(), ["daemon-reload"], "nothing is started or switched on")
        self.no_systemd()
        self.programs_find_their_libraries()
        recommended = root.run("dpkg-query", "--show", "--showformat=${Recommends}", "claude-monitor").stdout
        self.assertNotIn("postgresql", root.run("dpkg-query", "--show", "--showformat=${Package}\n").stdout.split())
        root.install(*recommended.split(", "))

        settings = root.folder / "etc/claude-monitor/environment"
        self.assertEqual(settings.stat().st_mode & 0o777, 0o600)
        settings.write_text(f"MONITOR_LISTEN={free_address()}\n")
        unit = Unit(root, "usr/lib/systemd/system/claude-monitor.service")
        self.assertNotIn("/usr/local", unit.text)
        self.use(root, unit, "/usr/share/claude-monitor")

        self.systemctl()
        root.install("--reinstall", f"/root/{package.name}")
        self.assertEqual(self.systemctl(), ["daemon-reload", "try-restart claude-monitor.service"])
        self.assertIn("MONITOR_LISTEN", settings.read_text(), "changed settings are kept")
        self.no_systemd()
        again = Unit(root, "usr/lib/systemd/system/claude-monitor.service")
        again.start()
        self.addCleanup(again.end)
        again.wait_healthy()
        check_page(again.url)
        self.assertIn(SESSION[:8], again.control("events"), "the events are kept")
        self.assertEqual(again.stop(), 0)

        self.systemctl()
        root.run("apt-get", "remove", "claude-monitor")
        self.assertEqual(self.systemctl(), ["disable --now claude-monitor.service", "daemon-reload"])
        self.assertTrue(root.has("var/lib/claude-monitor/admin.token"), "removal keeps the data")
        self.assertTrue(root.has("etc/claude-monitor/environment"), "and the settings")
        root.run("apt-get", "purge", "claude-monitor")
        root.run("rm", f"/root/{package.name}")
        root.run("userdel", "--remove", "dev")
        self.assertEqual(root.paths("claude-monitor", "monitor-server", "monitorctl"), [])
        self.assertNotIn("claude-monitor", (root.folder / "etc/passwd").read_text() + (root.folder / "etc/group").read_text())

    def programs_find_their_libraries(self):
        root = self.root
        depends = root.run("dpkg-query", "--show", "--showformat=${Depends}", "claude-monitor").stdout
        image = (HERE.parent.parent / "deploy/Dockerfile").read_text().rpartition("\nFROM ")[2].split()
        for package in {word.split()[0] for word in depends.split(", ")} - {"adduser", "libc6", "libgcc-s1"}:
            self.assertIn(package, image, "the container's image has the package's libraries")
        for program in ("monitor-server", "monitorctl"):
            self.assertNotIn("not found", root.run("ldd", f"/usr/bin/{program}").stdout)
            root.run(program, "--version", user="claude-monitor")
        done = root.run("monitor-server", "check-config", user="claude-monitor", MONITOR_DATA_DIR="/var/lib/claude-monitor",
                        DATABASE_URL="host=127.0.0.1")
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
