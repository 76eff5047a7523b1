"""Files of the machine: only below roots for which the machine's file says files=read, whatever links do meanwhile."""

import base64
import os
import socket
import subprocess
import threading
import unittest
import uuid

from machine import AgentCase

TEXT = "first\nsecond wörd\n"


class Files(AgentCase):
    def setUp(self):
        super().setUp()
        self.machine.allow("files=read")
        self.project = self.machine.project
        (self.project / "src").mkdir()
        (self.project / "src/main.swift").write_text(TEXT)
        (self.project / "README.md").write_text("read me\n")
        self.link = self.begin()

    def ask(self, verb, path=None, **params):
        path = {} if "path_b64" in params else {"path": str(self.project if path is None else path)}
        return self.link.call(f"file/{verb}", {**path, **params})

    def result(self, *arguments, **params):
        answer = self.ask(*arguments, **params)
        self.assertIn("result", answer, answer)
        return answer["result"]

    def names(self, answer):
        return [entry["name"] for entry in answer["entries"]]

    def git(self, *words, at=None):
        subprocess.run(["git", "-C", str(at or self.project), "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
                       capture_output=True, env=self.machine.env())


class Reading(Files):
    def test_a_list(self):
        (self.project / "link").symlink_to("src")
        (self.project / "out").symlink_to("/etc")
        (self.project / ".git").mkdir()
        os.mkfifo(self.project / "fifo")
        answer = self.result("list")
        self.assertEqual(self.names(answer), ["src", "README.md", "fifo", "link", "out"])
        self.assertEqual((answer["path"], answer["root"], answer["files"], answer["directories"], answer["sorted"],
                          answer["next_cursor"]), (str(self.project), str(self.machine.root), 4, 1, True, None))
        kinds = [(entry["type"], entry.get("target_type")) for entry in answer["entries"]]
        self.assertEqual(kinds, [("directory", None), ("file", None), ("special", None), ("link", "directory"), ("link", None)])
        self.assertEqual(answer["entries"][1]["size"], 8)
        self.assertRegex(answer["entries"][1]["modified_at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_pages_of_a_list(self):
        for number in range(25):
            (self.project / f"f{number:02}").write_text("")
        seen, cursor = [], None
        while True:
            answer = self.result("list", limit=7, **({"cursor": cursor} if cursor else {}))
            seen += self.names(answer)
            cursor = answer["next_cursor"]
            if not cursor:
                break
        self.assertEqual(seen, ["src", "README.md"] + [f"f{number:02}" for number in range(25)])

    def test_counts_of_directories(self):
        entry = self.result("list", counts=True)["entries"][0]
        self.assertEqual((entry["file_count"], entry["total_size"]), (1, len(TEXT.encode())))

    def test_stat(self):
        found = self.result("stat", self.project / "README.md")
        self.assertEqual((found["type"], found["size"], found["is_secret"]), ("file", 8, False))
        self.assertEqual(self.result("stat")["type"], "directory")

    def test_a_text(self):
        answer = self.result("get", self.project / "src/main.swift")
        self.assertEqual((answer["content"], answer["encoding"], answer["size"], answer["bytes"], answer["next_offset"]),
                         (TEXT, "utf-8", 19, 19, None))

    def test_a_page_does_not_cut_a_character(self):
        whole, offset = "", 0
        while True:
            page = self.result("get", self.project / "src/main.swift", offset=offset, limit=7)
            self.assertEqual(page["encoding"], "utf-8")
            whole += page["content"]
            offset = page["next_offset"]
            if offset is None:
                break
        self.assertEqual(whole, TEXT)

    def test_bytes_that_are_no_text(self):
        content = bytes(range(256)) * 10
        (self.project / "data").write_bytes(content)
        answer = self.result("get", self.project / "data")
        self.assertEqual((answer["encoding"], base64.b64decode(answer["content"])), ("base64", content))
        text = self.result("get", self.project / "README.md", encoding="base64")
        self.assertEqual((text["encoding"], base64.b64decode(text["content"])), ("base64", b"read me\n"))

    def test_what_takes_more_room_as_text_than_a_message_has(self):
        (self.project / "odd").write_bytes(b"\x01" * (384 << 10))
        answer = self.result("get", self.project / "odd")
        self.assertEqual((answer["encoding"], answer["bytes"]), ("base64", 384 << 10))

    def test_a_large_file_in_parts_of_one_version(self):
        content = os.urandom(1 << 20)
        (self.project / "large").write_bytes(content)
        parts, offset, version = b"", 0, None
        while offset is not None:
            page = self.result("get", self.project / "large", offset=offset, **({"version": version} if version else {}))
            parts, offset, version = parts + base64.b64decode(page["content"]), page["next_offset"], page["version"]
        self.assertEqual(parts, content)
        (self.project / "large").write_bytes(b"other")
        self.refused(self.ask("get", self.project / "large", version=version), "changed_meanwhile")

    def test_beyond_the_end(self):
        answer = self.result("get", self.project / "README.md", offset=100)
        self.assertEqual((answer["content"], answer["bytes"], answer["next_offset"]), ("", 0, None))

    def test_a_name_that_is_not_utf8(self):
        path = os.fsencode(self.project) + b"/na\xffme"
        with open(path, "w") as file:
            file.write("found\n")
        entry = next(entry for entry in self.result("list")["entries"] if "name_b64" in entry)
        self.assertEqual((entry["name"], base64.b64decode(entry["name_b64"])), ("na\ufffdme", b"na\xffme"))
        answer = self.result("get", path_b64=base64.b64encode(path).decode())
        self.assertEqual(answer["content"], "found\n")
        self.assertEqual(base64.b64decode(answer["path_b64"]), path)
        self.refused(self.ask("get", self.project / "na\ufffdme"), "file_not_found")

    def test_wrong_parameters(self):
        for verb, params in [("list", {"path": "relative"}), ("list", {"path": ""}), ("list", {"limit": 0}),
                             ("list", {"cursor": "x"}), ("get", {"offset": -1}),
                             ("get", {"limit": 1 << 20}), ("get", {"encoding": "latin1"}), ("search", {}),
                             ("search", {"query": "a", "mode": "regex"}), ("list", {"path_b64": "?"}),
                             ("get", {"path_b64": base64.b64encode(b"/a\0b").decode()})]:
            with self.subTest(verb, **params):
                answer = self.link.call(f"file/{verb}", {"path": str(self.project), **params})
                self.assertEqual(answer["error"]["code"], -32602, answer)


class Refusing(Files):
    def test_without_the_word(self):
        self.machine.allow()
        for verb, more in [("list", {}), ("stat", {}), ("get", {}), ("search", {"query": "a"})]:
            self.refused(self.ask(verb, **more), "not_allowed_by_machine")

    def test_the_file_is_read_anew(self):
        self.result("list")
        self.machine.write("agent", "files=read\n", mode=0o666)
        self.refused(self.ask("list"), "not_allowed_by_machine")

    def test_a_root_in_a_root(self):
        inner = self.machine.root / "private"
        inner.mkdir()
        (inner / "a").write_text("a")
        (self.project / "door").symlink_to("../private")
        self.machine.write("agent", f"roots={self.machine.root} files=read\nroots={inner} files=off\n")
        self.result("list")
        for path in (inner, inner / "a", self.project / "door", self.project / "door/a"):
            with self.subTest(str(path)):
                self.refused(self.ask("stat", path), "not_allowed_by_machine")

    def test_a_search_leaves_out_what_a_root_in_the_root_hides(self):
        inner = self.machine.root / "private"
        inner.mkdir()
        for place in (inner, self.project):
            (place / "needle.txt").write_text("needle\n")
            (place / ".env").write_text("needle\n")
        def found(mode):
            results = self.result("search", self.machine.root, query="needle", mode=mode)["results"]
            return sorted(entry["path"] for entry in results)
        self.machine.write("agent", f"roots={self.machine.root} files=read secrets=show\nroots={inner} files=off\n")
        self.assertEqual(found("prefix"), ["project/needle.txt"])
        self.assertEqual(found("content"), ["project/.env", "project/needle.txt"])
        self.machine.write("agent", f"roots={self.machine.root} files=read secrets=show\nroots={inner} files=read secrets=hide\n")
        self.assertEqual(found("prefix"), ["private/needle.txt", "project/needle.txt"])
        self.assertEqual(found("content"), ["private/needle.txt", "project/.env", "project/needle.txt"])

    def test_outside(self):
        outside = self.machine.place / "outside"
        outside.mkdir()
        (outside / "secret").write_text("secret")
        (self.project / "out").symlink_to(outside)
        (self.project / "above").symlink_to("../../outside")
        (self.project / "absolute").symlink_to(self.project / "README.md")
        (self.project / "proc").symlink_to("/proc/self/environ")
        for path in (outside, outside / "secret", "/", "/etc/passwd", "/proc/self/environ", f"{self.project}/../../outside/secret",
                     f"{self.project}/..", self.project / "out", self.project / "out/secret", self.project / "above/secret",
                     self.project / "absolute", self.project / "proc", str(self.machine.root) + "x"):
            for verb in ("list", "stat", "get"):
                with self.subTest(verb, path=str(path)):
                    self.refused(self.ask(verb, path), "outside_roots")

    def test_neither_file_nor_directory(self):
        os.mkfifo(self.project / "fifo")
        with socket.socket(socket.AF_UNIX) as listener:
            place = os.getcwd()
            os.chdir(self.project)
            try:
                listener.bind("socket")
            finally:
                os.chdir(place)
            for name in ("fifo", "socket"):
                self.refused(self.ask("get", self.project / name), "wrong_file_kind")
        self.refused(self.ask("get"), "wrong_file_kind")
        self.refused(self.ask("list", self.project / "README.md"), "wrong_file_kind")
        self.refused(self.ask("get", self.project / "missing"), "file_not_found")

    def test_what_git_keeps_is_not_served(self):
        self.git("init", "-q")
        (self.project / "config").symlink_to(".git/config")
        (self.project / "inside").symlink_to(".git")
        for path in (".git", ".git/config", ".GIT/config", "config", "inside", "inside/HEAD"):
            with self.subTest(path):
                self.refused(self.ask("stat", self.project / path), "file_not_found")

    def test_files_that_hold_credentials(self):
        for name in (".env", ".npmrc", "id_rsa", "server.pem"):
            (self.project / name).write_text("the secret text\n")
        (self.project / "plain").symlink_to(".env")
        (self.project / ".env.example").write_text("the secret text\n")
        marks = {entry["name"]: entry["is_secret"] for entry in self.result("list")["entries"]}
        self.assertEqual({name for name, mark in marks.items() if mark}, {".env", ".npmrc", "id_rsa", "server.pem"})
        for name in (".env", "id_rsa", "plain"):
            self.refused(self.ask("get", self.project / name), "secret_file")
            self.assertTrue(self.result("stat", self.project / name)["is_secret"])
        self.assertEqual(self.result("get", self.project / ".env.example")["content"], "the secret text\n")
        found = self.result("search", query="secret text", mode="content")["results"]
        self.assertEqual([hit["path"] for hit in found], [".env.example"])
        self.machine.allow("files=read secrets=show")
        self.assertEqual(self.result("get", self.project / "plain")["content"], "the secret text\n")

    def test_the_agents_own_files_are_never_shown(self):
        self.machine.allow("files=read secrets=show", roots=[self.machine.home])
        for path in (self.machine.settings / "config", self.machine.state / "identity"):
            with self.subTest(str(path)):
                self.assertTrue(path.exists())
                self.refused(self.ask("get", path), "secret_file")
        found = self.result("search", self.machine.home, query="cmk_", mode="content")
        self.assertEqual(found["results"], [])

    def test_a_link_that_is_changed_all_the_time(self):
        outside = self.machine.place / "outside"
        outside.mkdir()
        (outside / "file").write_text("outside")
        (self.project / "inside").mkdir()
        (self.project / "inside/file").write_text("inside")
        done = threading.Event()

        def swap():
            number = 0
            while not done.is_set():
                number += 1
                os.symlink(("inside", "../../outside", str(outside))[number % 3], self.project / "new")
                os.rename(self.project / "new", self.project / "door")

        swapping = threading.Thread(target=swap)
        swapping.start()
        try:
            seen = set()
            for _ in range(20):
                numbers = [self.link.post("file/get", {"path": str(self.project / "door/file")}) for _ in range(24)]
                for number in numbers:
                    answer = self.link.reply(number)
                    seen.add(answer["result"]["content"] if "result" in answer else answer["error"]["data"]["reason"])
        finally:
            done.set()
            swapping.join()
        self.assertLessEqual(seen, {"inside", "outside_roots", "file_not_found"})


class Keeping(Files):
    def test_a_read_is_recorded_without_content_and_not_kept(self):
        chosen = str(uuid.uuid4())
        path = self.project / "README.md"
        first = self.link.call("file/get", {"path": str(path)}, command=chosen)
        path.write_text("changed\n")
        second = self.link.call("file/get", {"path": str(path)}, command=chosen)
        self.assertEqual((first["result"]["content"], second["result"]["content"]), ("read me\n", "changed\n"))
        self.result("search", query="a very private text", mode="content")
        text = (self.machine.state / "audit.jsonl").read_text()
        entries = [entry for entry in self.machine.audit() if entry.get("method") == "file/get"]
        self.assertEqual([entry["what"] for entry in entries], ["asked", "done", "asked", "done"])
        self.assertEqual({entry["path"] for entry in entries}, {str(path)})
        self.assertNotIn("read me", text)
        self.assertNotIn("private", text)
        self.refused(self.ask("get", "/etc/passwd"), "outside_roots")
        self.assertEqual(self.machine.audit()[-1]["reason"], "outside_roots")


class Searching(Files):
    def setUp(self):
        super().setUp()
        self.git("init", "-q")
        (self.project / ".gitignore").write_text("build/\n*.log\n")
        (self.project / "build").mkdir()
        (self.project / "build/main.o").write_text("word\n")
        (self.project / "trace.log").write_text("word\n")
        (self.project / ":(top)*.log").write_text("odd\n")
        (self.project / "src/helper.swift").write_text("// main word\n")
        self.git("add", "README.md", "src/main.swift")

    def found(self, query, **params):
        return [hit["path"] for hit in self.result("search", query=query, **params)["results"]]

    def test_names(self):
        self.assertEqual(self.found("main"), ["src/main.swift"])
        self.assertEqual(self.found("helper.swift", mode="exact"), ["src/helper.swift"])
        self.assertEqual(self.found("MAI", mode="prefix"), ["src/main.swift"])
        self.assertEqual(self.found("swift", mode="extension"), ["src/main.swift", "src/helper.swift"])
        self.assertEqual(self.found("main", mode="prefix", extensions=["kt"]), [])
        answer = self.result("search", query="s", limit=1, offset=1)
        self.assertEqual((len(answer["results"]), answer["complete"]), (1, True))
        self.assertGreaterEqual(answer["total"], 2)

    def test_a_directory_that_is_ignored_may_be_searched_itself(self):
        self.assertEqual([hit["path"] for hit in self.result("search", self.project / "build", query="main")["results"]],
                         ["main.o"])

    def test_content(self):
        answer = self.result("search", query="word", mode="content")
        self.assertEqual([(hit["path"], hit["line"], hit["column"], hit["text"]) for hit in answer["results"]],
                         [("src/helper.swift", 1, 9, "// main word")])
        self.assertEqual((answer["complete"], answer["reason"]), (True, None))
        self.assertEqual(self.found("WÖRD", mode="content"), [])
        self.assertEqual(self.found("MAIN WORD", mode="content", ignore_case=True), ["src/helper.swift"])

    def test_too_many_hits(self):
        (self.project / "many").write_text("needle\n" * 2000)
        answer = self.result("search", query="needle", mode="content", limit=1000)
        self.assertEqual((len(answer["results"]), answer["complete"], answer["reason"]), (1000, False, "too_many_hits"))

    def test_what_git_says_in_a_list(self):
        flags = {entry["name"]: (entry["is_ignored"], entry["is_tracked"]) for entry in self.result("list", git=True)["entries"]}
        self.assertEqual(flags, {"src": (False, False), "build": (True, False), ".gitignore": (False, False),
                                 "README.md": (False, True), "trace.log": (True, False), ":(top)*.log": (True, False)})
        inner = {entry["name"]: entry["is_tracked"] for entry in self.result("list", self.project / "src", git=True)["entries"]}
        self.assertEqual(inner, {"helper.swift": False, "main.swift": True})

    def test_a_repository_inside(self):
        inner = self.project / "vendor/lib"
        inner.mkdir(parents=True)
        self.git("init", "-q", at=inner)
        (inner / ".gitignore").write_text("/secret-build\n")
        (inner / "secret-build").write_text("needle\n")
        (inner / "kept").write_text("needle\n")
        self.assertEqual(self.found("needle", mode="content"), ["vendor/lib/kept"])

    def test_the_repositorys_settings_run_nothing(self):
        mark = self.machine.place / "ran"
        script = self.machine.place / "hook"
        script.write_text(f"#!/bin/sh\ntouch {mark}\n")
        script.chmod(0o755)
        for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external", "filter.x.clean",
                     "filter.x.smudge", "filter.x.process", "credential.helper"):
            self.git("config", name, str(script))
        (self.project / ".gitattributes").write_text("* filter=x diff=x\n")
        hooks = self.project / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("post-index-change", "fsmonitor-watchman", "query-watchman"):
            (hooks / name).write_text(script.read_text())
            (hooks / name).chmod(0o755)
        (self.project / "src/main.swift").write_text("changed\n")
        self.result("list", git=True)
        self.found("main")
        self.found("word", mode="content")
        self.assertFalse(mark.exists())

    def test_an_object_that_is_missing_is_not_fetched(self):
        """Git would run the program that the repository names for it."""
        mark = self.machine.place / "ran"
        (self.project / ".gitignore").write_text("*.log\n")
        self.git("add", ".gitignore")
        blob = subprocess.check_output(["git", "-C", str(self.project), "rev-parse", ":.gitignore"], text=True,
                                       env=self.machine.env()).strip()
        self.git("commit", "-q", "-m", "rules")
        self.git("update-index", "--skip-worktree", ".gitignore")
        (self.project / ".gitignore").unlink()
        (self.project / ".git/objects" / blob[:2] / blob[2:]).unlink()
        for name, value in (("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "x"),
                            ("remote.x.promisor", "true"), ("protocol.ext.allow", "always"),
                            ("remote.x.url", f"ext::touch {mark}")):
            self.git("config", name, value)
        self.result("list", git=True)
        self.found("main")
        self.assertFalse(mark.exists())

    def test_a_repository_outside_of_the_roots_is_not_asked(self):
        outside = self.machine.place / "repository"
        outside.mkdir()
        self.git("init", "-q", at=outside)
        (outside / ".git/info").mkdir(exist_ok=True)
        (outside / ".git/info/exclude").write_text("*.md\n")
        other = self.machine.root / "other"
        other.mkdir()
        (other / ".git").write_text(f"gitdir: {outside}/.git\n")
        (other / "a.md").write_text("a")
        flags = {entry["name"]: entry["is_ignored"] for entry in self.result("list", other, git=True)["entries"]}
        self.assertEqual(flags, {"a.md": False})


if __name__ == "__main__":
    unittest.main()
