"""A machine with the real agent and a project on it, whose files, repository and changes the web app shows."""

import os
import subprocess
import uuid

from web import Server  # noqa: F401  It adds the system tests to the path.
from harness import wait_for
from real_agent import RealAgent
from scenes import Machine, Told

PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000008000000080802000000"
                    "4b6d29dc0000001249444154789c63fccfc0c0c0c4c0c0c00000050d0103b3c2a7c50000000049454e44ae426082")


class Place:
    """A project on a machine of its own, and a session in it."""

    def __init__(self, server, name, words="files=read git=push", is_trusted=True, project="shop"):
        self.server, self.words = server, words
        self.agent = RealAgent(server, name, words)
        self.root = self.agent.root / project
        self.root.mkdir()
        self.is_trusted = is_trusted
        self.allow(words)
        (self.agent.home / ".gitconfig").write_text("[user]\n\tname = Ana\n\temail = ana@example.com\n[init]\n\tdefaultBranch = main\n")
        self.machine = Machine(server, name, key=self.agent.key)
        self.told = Told(self.machine, str(uuid.uuid4()), str(self.root)).start(60).asks("Split refunds exactly", 50)
        self.project = server.get(f"/v1/sessions/{self.told.id}").json["project_id"]

    def allow(self, words):
        """Changes what the agent may do. The server knows of it when this returns."""
        trust = f"trust={self.root}\n" if self.is_trusted else ""
        self.agent.write("agent", f"control=on {words}\nroots={self.agent.root}\n{trust}")
        wanted = dict(word.split("=") for word in words.split())
        wait_for(lambda: self.agent.may().items() >= wanted.items(), f"the server knows of {words}")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            file.write_bytes(text)
        else:
            file.write_text(text)

    def git(self, *words):
        return subprocess.run(["git", "-C", str(self.root), *words], check=True, capture_output=True, text=True,
                              env={**os.environ, "HOME": str(self.agent.home)}).stdout

    def repository(self):
        """Two commits, and beside them a branch that was merged."""
        self.git("init", "-q")
        self.write("README.md", "# Shop\n\nSells **things**.\n")
        self.write("src/split.ts", "".join(f"export const line{number} = {number}\n" for number in range(1, 41)))
        self.write(".gitignore", "build/\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "Begin the shop")
        self.git("checkout", "-qb", "discounts")
        self.write("src/discount.ts", "export const discount = 0.1\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "Add discounts")
        self.git("checkout", "-q", "main")
        self.write("src/tax.ts", "export const tax = 0.19\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "Add the tax")
        self.git("merge", "-q", "--no-ff", "-m", "Merge discounts", "discounts")

    def changes(self):
        """A file with two changes far from each other, one that is staged, one that is new, and one that is deleted."""
        lines = [f"export const line{number} = {number}\n" for number in range(1, 41)]
        lines[2], lines[35] = "export const line3 = 3_000\n", "export const line36 = 36_000\n"
        self.write("src/split.ts", "".join(lines))
        self.write("README.md", "# Shop\n\nSells **many things**.\n")
        self.git("add", "README.md")
        self.write("src/new.ts", "export const fresh = true\n")
        (self.root / "src/tax.ts").unlink()

    def close(self):
        self.agent.close()
