#!/usr/bin/env python3
"""Tests deploy/pin-images with a registry on loopback that requires a token, as Docker's does."""

import hashlib
import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "deploy/pin-images"
INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": []}).encode()
DIGEST = "sha256:" + hashlib.sha256(MANIFEST).hexdigest()


class Registry(http.server.BaseHTTPRequestHandler):
    token = "anonymous"

    def log_message(self, *_):
        pass

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        here = f"http://127.0.0.1:{self.server.server_port}"
        self.server.seen.append(self.path)
        if self.path.startswith("/token?"):
            return self.answer(200, json.dumps({"token": self.token}).encode(), Content_Type="application/json")
        scope = "repository:{}:pull".format(self.path.split("/manifests/")[0].removeprefix("/v2/"))
        if self.headers["Authorization"] != f"Bearer {self.token}":
            return self.answer(401, b"{}", WWW_Authenticate=f'Bearer realm="{here}/token",service="stand-in",scope="{scope}"')
        if self.path == "/v2/some/page/manifests/latest":
            return self.answer(200, b"<html>", Content_Type="text/html")
        if self.path == "/v2/forged/manifests/1":
            return self.answer(200, MANIFEST + b" ", Content_Type=INDEX, Docker_Content_Digest=DIGEST)
        if self.path not in ("/v2/swift/manifests/6.3-bookworm", "/v2/some/debian/manifests/latest"):
            return self.answer(404, b"{}", Content_Type="application/json")
        if INDEX not in self.headers["Accept"]:
            return self.answer(406, b"{}", Content_Type="application/json")
        return self.answer(200, MANIFEST, Content_Type=INDEX, Docker_Content_Digest=DIGEST)


class PinImages(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
        self.server.seen = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.here = f"127.0.0.1:{self.server.server_port}"
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name) / "env"

    def run_program(self, *images):
        return subprocess.run([PROGRAM, "--file", self.file, *images], capture_output=True, text=True, timeout=60, check=False)

    def test_digests_replace_the_lines_of_their_variables(self):
        self.file.write_text("MONITOR_PORT=9000\nSWIFT_IMAGE=old\n# a comment\n")
        self.file.chmod(0o640)
        for _ in range(2):
            done = self.run_program(f"SWIFT_IMAGE={self.here}/swift:6.3-bookworm",
                                    f"DEBIAN_IMAGE={self.here}/some/debian@sha256:{'0' * 64}")
            self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.file.read_text(),
                         "MONITOR_PORT=9000\n# a comment\n"
                         f"SWIFT_IMAGE={self.here}/swift:6.3-bookworm@{DIGEST}\n"
                         f"DEBIAN_IMAGE={self.here}/some/debian@{DIGEST}\n")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)
        self.assertIn("/token?service=stand-in&scope=repository%3Aswift%3Apull", self.server.seen)

    def test_what_is_not_a_manifest_is_refused_and_the_file_kept(self):
        self.file.write_text("A=1\n")
        for image, reason in ((f"{self.here}/swift:none", "404"), (f"{self.here}/some/page", "text/html"),
                              (f"{self.here}/forged:1", "claims"), ("127.0.0.1:1/swift:1", "refused"),
                              (f"{self.here}/../swift:a b", "not the name")):
            with self.subTest(image):
                done = self.run_program(f"SWIFT_IMAGE={image}")
                self.assertEqual(done.returncode, 1, done)
                self.assertIn(reason, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(self.file.read_text(), "A=1\n")

    def test_the_projects_images_are_found_and_can_be_pinned(self):
        """Each FROM and each image in the compose file takes its name from a variable that pin-images knows."""
        module = {"__name__": "pin_images", "__file__": str(PROGRAM)}
        exec(compile(PROGRAM.read_text(), PROGRAM, "exec"), module)
        images = module["named_images"]()
        self.assertEqual(sorted(images), ["DEBIAN_IMAGE", "POSTGRES_IMAGE", "SWIFT_IMAGE"])
        dockerfile = (ROOT / "deploy/Dockerfile").read_text()
        for name in re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE):
            self.assertIn(name.strip("${}"), images)
        self.assertNotRegex(dockerfile, r"(?m)^# *syntax *=", "BuildKit fetches that image as well")
        self.assertEqual(module["parse"](images["SWIFT_IMAGE"]), ("registry-1.docker.io", "library/swift", "6.3-bookworm"))
        self.assertEqual(module["parse"]("ghcr.io/a/b"), ("ghcr.io", "a/b", "latest"))
        self.assertEqual([module["scheme"](host) for host in ("127.0.0.1:5000", "localhost", "127.0.0.1.example.com:443")],
                         ["http", "http", "https"])


if __name__ == "__main__":
    unittest.main()
