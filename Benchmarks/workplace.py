"""A machine with the built agent and a repository, whose work tree has large changes."""

import contextlib
import os
import subprocess

from desk import Desk, write

LINES = 10_000
# Each hunk has three lines around its change on both sides.
PER_HUNK = 8
FILES = {"one.ts": "one hunk", "many.ts": f"{LINES // PER_HUNK:,} hunks"}


@contextlib.contextmanager
def workplace(server):
    """Yields the id of the project. Its files one.ts and many.ts have differences of 10,000 lines."""
    with Desk(server, "files=read git=read") as desk:
        project = os.path.join(desk.root, "shop")
        os.mkdir(project)
        repository(project)
        yield desk.project(project)


def git(project, *words):
    subprocess.run(["git", "-C", project, "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *words], check=True)


def repository(project):
    def lines(count, name):
        return [f"export const {name}{number} = {number}\n" for number in range(count)]
    git(project, "init", "-q")
    write(project, "one.ts", "".join(lines(LINES // 2, "old")))
    many = lines(LINES // PER_HUNK * 7, "line")
    write(project, "many.ts", "".join(many))
    git(project, "add", "-A")
    git(project, "commit", "-qm", "Begin the shop")
    write(project, "one.ts", "".join(lines(LINES // 2, "new")))
    many[3::7] = lines(len(many[3::7]), "next")
    write(project, "many.ts", "".join(many))
