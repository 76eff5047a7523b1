"""A bare Debian system in a folder, and the programs that run in it.

The folder is a copy of a debootstrap system, which is kept for later runs. Its mounts are visible only in the mount namespace of
this process, which Tests/packaging/run makes, and end with it.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("PACKAGING_CACHE", "/var/tmp/claude-monitor-packaging"))
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive"}
APT = """APT::Get::Assume-Yes "true";
APT::Install-Recommends "false";
Acquire::Retries "3";
APT::Sandbox::User "root";
"""


def suite():
    """The Debian release of this machine. The programs were linked to its libraries."""
    with open("/etc/os-release", encoding="utf-8") as file:
        fields = dict(line.strip().split("=", 1) for line in file if "=" in line)
    return fields["VERSION_CODENAME"].strip('"')


def base():
    """The folder of a fresh system, which is made once."""
    folder = CACHE / suite()
    if not folder.exists():
        print(f"==> debootstrap {suite()}", flush=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        new = pathlib.Path(tempfile.mkdtemp(prefix="new.", dir=CACHE))
        try:
            subprocess.run(["debootstrap", "--variant=minbase", suite(), new / "root", MIRROR], check=True,
                           stdout=subprocess.DEVNULL, timeout=1800)
            (new / "root").rename(folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return folder


class Root:
    def __init__(self, folder):
        """Creates the system in `folder`, which must not exist."""
        self.folder = folder
        subprocess.run(["cp", "--archive", base(), folder], check=True, timeout=300)
        self.write("etc/apt/apt.conf.d/90test", APT)
        # No service may start, and PostgreSQL's packages must not create an unused cluster.
        self.write("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
        self.write("etc/postgresql-common/createcluster.conf", "create_main_cluster = false\n")
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        archives = CACHE / "archives"
        archives.mkdir(exist_ok=True)
        for arguments in (["-t", "proc", "proc", folder / "proc"], ["-t", "tmpfs", "tmpfs", folder / "dev/shm"],
                          ["--bind", archives, folder / "var/cache/apt/archives"]):
            subprocess.run(["mount", *arguments], check=True)
        self.run("apt-get", "update")

    def write(self, path, text, mode=0o644):
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)

    def command(self, *words, user=None, **settings):
        """The command line that runs a program inside, without this process's environment."""
        who = [f"--userspec={user}:{user}"] if user else []
        variables = [f"{name}={value}" for name, value in {**ENVIRONMENT, **settings}.items()]
        return ["chroot", *who, str(self.folder), "env", "-i", *variables, *map(str, words)]

    def run(self, *words, user=None, check=True, text=None, seconds=600, **settings):
        done = subprocess.run(self.command(*words, user=user, **settings), input=text, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL if text is None else None, timeout=seconds, check=False, cwd="/")
        if check and done.returncode != 0:
            raise AssertionError(f"{shlex.join(map(str, words))}: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done

    def install(self, *packages):
        self.run("apt-get", "install", *packages)

    def has(self, path):
        return os.path.lexists(self.folder / path)

    def paths(self, *words):
        """All paths that contain one of the words, except those of apt and dpkg."""
        found = self.run("find", "/", "-xdev", "(", "-path", "/proc", "-o", "-path", "/var/cache", "-o", "-path", "/var/log",
                         ")", "-prune", "-o", "-print").stdout.splitlines()
        return [path for path in found if any(word in path for word in words)]
