"""The build's second half: the pages with the names of their files, the notice of licences, and the list for the server.

    pages.py DIRECTORY MODULES     writes the pages, NOTICE.txt and shell.json
    pages.py --list DIRECTORY      compresses the files and writes files.json
"""

import gzip
import hashlib
import json
import pathlib
import re
import shutil
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "src"
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
}
PACKAGES = ("react", "react-dom", "scheduler")
HIGHLIGHTER = "highlight.js"
TERMINAL = "xterm"
# Loaded when they are needed, and kept by the browser like other files.
ON_DEMAND = ("highlighter-", "TerminalView-", "swagger-")


def write_pages(directory, modules):
    assets = directory / "assets"
    names = {re.sub(r"-[A-Z0-9]{8}\.", ".", path.name): f"assets/{path.name}" for path in assets.iterdir()}
    for page in ("index.html", "pair.html", "swagger.html"):
        text = re.sub(r"\{([\w.]+)\}", lambda found: names[found.group(1)], (SOURCE / page).read_text())
        text = re.sub(r'<link rel="modulepreload" href="(assets/[^"]+)">\n', lambda found: preloads(directory, found[1]), text)
        (directory / page).write_text(text)
    shutil.copy(SOURCE / "manifest.webmanifest", directory)
    (assets / "NOTICE.txt").write_text(notice(modules))
    files = sorted(f"assets/{path.name}" for path in assets.iterdir()
                   if path.suffix in (".js", ".css") and not path.name.startswith(ON_DEMAND))
    whole = hashlib.sha256(b"".join((directory / name).read_bytes() for name in files))
    whole.update((directory / "index.html").read_bytes())
    shell = {"version": whole.hexdigest()[:12], "files": [*files, "icons/icon.svg", "manifest.webmanifest"]}
    (directory / "shell.json").write_text(json.dumps(shell))


def preloads(directory, script):
    """Links for the script and the parts that it cannot do without, so that the browser asks for all of them at once."""
    needed = [script]
    for name in needed:
        imported = re.findall(r'(?:from|import)\s*"\./(chunk-[A-Z0-9]+\.js)"', (directory / name).read_text())
        needed += [part for part in dict.fromkeys(f"assets/{one}" for one in imported) if part not in needed]
    return "".join(f'<link rel="modulepreload" href="{name}">\n' for name in needed)


def notice(modules):
    """What the scripts contain beside our own code, and its licences."""
    lines = ["Claude Code Monitor is under the Apache License 2.0. Its web app contains:", ""]
    for name in PACKAGES:
        described = json.loads((modules / name / "package.json").read_text())
        lines += [f"{name} {described['version']}, {described['license']}, Facebook, Inc. and its affiliates", ""]
    described = json.loads((modules / TERMINAL / "package.json").read_text())
    lines += [f"{TERMINAL} {described['version']}, {described['license']}, 2012-2018 The xterm.js authors, Christopher Jeffrey, "
              "SourceLair Private Company", "", MIT]
    described = json.loads((modules / HIGHLIGHTER / "package.json").read_text())
    lines += [f"{HIGHLIGHTER} {described['version']}, {described['license']}, 2006-2017 Ivan Sagalaev and the highlightjs contributors", "", BSD]
    return "\n".join(lines)


MIT = """MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""

BSD = """BSD 3-Clause License

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met: (1) Redistributions of source code must retain the above copyright notice, this list of conditions and the
following disclaimer. (2) Redistributions in binary form must reproduce the above copyright notice, this list of conditions and
the following disclaimer in the documentation and/or other materials provided with the distribution. (3) Neither the name of
highlight.js nor the names of its contributors may be used to endorse or promote products derived from this software without
specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT
NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL
THE COPYRIGHT HOLDERS OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE
OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
"""


def write_list(directory):
    entries = []
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        name = path.relative_to(directory).as_posix()
        body = path.read_bytes()
        compressed = gzip.compress(body, 9, mtime=0)
        if len(compressed) < 0.9 * len(body):
            path.with_name(path.name + ".gz").write_bytes(compressed)
        immutable = re.search(r"-[A-Z0-9]{8}\.", name) is not None
        entries.append({"path": name, "type": TYPES[path.suffix], "immutable": immutable})
    (directory / "files.json").write_text(json.dumps(entries, indent=1) + "\n")


if sys.argv[1] == "--list":
    write_list(pathlib.Path(sys.argv[2]))
else:
    write_pages(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
