"""Framework of the checks: it lists the files, prints the faults, and lets a check prove that it can fail.

A check is a function from a Tree to the faults in it, one printable line each. Beside it stand samples: small trees
that must pass, and small trees that must not, with a piece of the fault they must give.
"""

import fnmatch
import os
import re
import subprocess
import sys
import tempfile

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Tree:
    """The files of a directory that belong to the project: tracked, or new and not ignored."""

    def __init__(self, root):
        self.root = root
        self.all = [path for path in sorted(set(self._list())) if os.path.isfile(self.path(path))]

    def _list(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        listing = subprocess.run(
            ["git", "-c", f"safe.directory={self.root}", "ls-files", "-z", "-co", "--exclude-standard"],
            cwd=self.root, env=environment, capture_output=True, text=True, check=False)
        if listing.returncode == 0:
            return [path for path in listing.stdout.split("\0") if path]
        return self._walk()

    def _walk(self):
        """Without git, as in an unpacked archive: all but what is built."""
        for directory, inner, names in os.walk(self.root):
            inner[:] = [name for name in inner if not re.match(r"\.build|\.git$|\.venv|__pycache__$", name)]
            for name in names:
                yield os.path.relpath(os.path.join(directory, name), self.root)

    def path(self, relative):
        return os.path.join(self.root, relative)

    def files(self, *patterns):
        """Paths that match one of the patterns; `*` also matches `/`."""
        return [path for path in self.all if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)]

    def text(self, path):
        with open(self.path(path), encoding="utf-8", errors="replace") as file:
            return file.read()


def interpreter(tree, path):
    """The program that a file's first line names (`bash`, `python3`), or None."""
    with open(tree.path(path), "rb") as file:
        first = file.readline(200)
    found = re.match(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?([^/\s]+)(?:\s|$)", first)
    return found.group(1).decode("utf-8", "replace") if found else None


def run(check, good, bad):
    """Runs `check` on the repository, or with `--self-test` on its samples. Ends the process.

    `good` maps a name to a sample; `bad` maps a name to (sample, piece of the expected fault). A sample maps paths to
    text, or is a function that fills the directory it is given.
    """
    if sys.argv[1:] == ["--self-test"]:
        faults = _self_test(check, good, bad)
    elif sys.argv[1:]:
        sys.exit(f"usage: {sys.argv[0]} [--self-test]")
    else:
        faults = list(check(Tree(REPOSITORY)))
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


def _self_test(check, good, bad):
    faults = [] if bad else ["self-test: no sample that must fail"]
    for name, sample in good.items():
        found = _check_sample(check, sample)
        if found:
            faults.append(f"self-test: '{name}' must pass, but: {'; '.join(found)}")
    for name, (sample, piece) in bad.items():
        found = _check_sample(check, sample)
        if not any(piece in fault for fault in found):
            faults.append(f"self-test: '{name}' must fail with '{piece}', but: {'; '.join(found) or 'it passes'}")
    return faults


def _check_sample(check, sample):
    with tempfile.TemporaryDirectory(prefix="check-") as root:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", "init", "-q", root], check=True, env=environment, capture_output=True)
        if callable(sample):
            sample(root)
        else:
            for path, text in sample.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
        return list(check(Tree(root)))
