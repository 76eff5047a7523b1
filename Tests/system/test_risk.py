"""The server, the hooks and bash itself parse shell commands alike.

The commands are random (shell_commands.py), from a fixed seed, which a failure prints. bash never runs them:
`bash --pretty-print` parses a command and prints it in a normal form, one simple command after another. The parsers must find
the same simple commands, files and texts in the original and in the print."""

import os
import random
import re
import shutil
import subprocess
import unittest

from harness import BIN, ROOT
from shell_commands import Commands

HOOKS = ROOT / "hooks"
PARTS = ["json", "values", "shell", "quotes", "arithmetic", "words", "risk", "commands", "options"]
# The mark of an unknown character in a word of the readers.
UNKNOWN = "\x02"
RESERVED = set("if then else elif fi while until do done ! { } time esac function coproc COPROC".split())
# Commands in one run of bash. If bash rejects them, each half is tried again.
AT_A_TIME = 32


def line(command):
    return command.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + "\n"


def judge(program, commands, **extra):
    """The risk and the tokens of each command."""
    text = "".join(map(line, commands)).encode()
    done = subprocess.run(program, input=text, stdout=subprocess.PIPE, check=True, env={**os.environ, "LC_ALL": "C", **extra})
    found = [one.split("\t") for one in done.stdout.decode("utf-8", "surrogateescape").splitlines()]
    assert len(found) == len(commands), f"{len(found)} answers to {len(commands)} commands"
    return found


def judge_by_server(commands, reader=BIN / "RiskReader"):
    return judge([reader], commands)


def judge_by_hooks(awk, commands):
    programs = [arg for part in PARTS for arg in ("-f", HOOKS / "lib" / f"{part}.awk")]
    return judge([*awk, *programs, "-f", ROOT / "Tests/hooks/risk_reader.awk"], commands, RISKS=os.fspath(HOOKS / "risk.tsv"))


def printed_by_bash(commands, damaged):
    """bash's print of each command; None if bash rejects it. Each damaged command gets a run of its own, because it can end in
    the next command. So does each command with a comment, which may hide the end of a quote. A command that ends in a backslash
    gets none, because the backslash joins it to the next line."""
    printed = [None] * len(commands)

    def ask(numbers):
        text = "".join(f"{commands[number]}\n: mark {number}\n" for number in numbers)
        # Without PATH, bash could run nothing even if it tried.
        done = subprocess.run([BASH, "--norc", "--pretty-print", "/dev/stdin"], input=text.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={"PATH": "/nonexistent"}, check=False)
        rest, parts = done.stdout.decode("utf-8", "surrogateescape"), []
        for number in numbers:
            part, mark, rest = rest.partition(f": mark {number}\n")
            parts.append(part if mark else None)
        if done.returncode == 0 and not done.stderr and None not in parts:
            for number, part in zip(numbers, parts):
                # bash adds these words, which no command here has, to a loop without `in`.
                printed[number] = part.replace(' in "$@";', ";")
        elif len(numbers) > 1:
            ask(numbers[:len(numbers) // 2])
            ask(numbers[len(numbers) // 2:])

    alone = [number for number in range(len(commands)) if damaged[number] or "#" in commands[number]]
    whole = sorted(set(range(len(commands))).difference(alone))
    for start in range(0, len(whole), AT_A_TIME):
        ask(whole[start:start + AT_A_TIME])
    for number in alone:
        ask([number])
    for number, command in enumerate(commands):
        if re.search(r"(?<!\\)(\\\\)*\\$", command):
            printed[number] = None
    return printed


def document(token):
    """A here-document without what bash changes in it. In one of `"$((`, bash replaces $'...' by what it stands for. After a `((` of
    `"$(`, bash also joins the lines of a quoted document, as would a shell that reads the document as a script."""
    return re.sub(r"\$?'[^']*'", "''", token.replace("\\\\\\n", ""))


def shape(tokens):
    """The simple commands and the files of a command, without the things that bash writes differently: the order of
    redirections, `function`, names of coprocesses, and line ends around reserved words."""
    commands, files, words = [], [], []
    for token in tokens:
        if token == ";":
            while words and words[0] in RESERVED:
                # bash prints no `--` after `time`.
                options = re.match(" time( -p)?( --)? ", f" {' '.join(words[:3])} ")
                words = words[len(options[0].split()) if options else 1:]
            if words[:1] == ["case"] and words[2:3] == ["in"]:
                commands.append(words[:3])
                words = words[3:]
            commands.append(words)
            words = []
        elif token[0] == "w":
            words.append(token[1:])
        elif token not in ("x", "!"):
            files.append(document(token) if token[0] == "h" else token)
    commands = [command for command in commands if command and command not in (["--"], ["-p"])]
    if has_document(tokens):
        # bash omits separators after a here-document.
        commands = [[word] for command in commands for word in command if word not in RESERVED]
    return sorted(commands), sorted(files)


def known(ours, theirs):
    """`ours`, where each command with a character that the reader leaves unknown, as shells differ in it, is replaced by a command of
    `theirs` that fits it."""
    commands, rest = [], list(theirs[0])
    for command in ours[0]:
        pattern = [re.escape(word).replace(re.escape(UNKNOWN), ".*") for word in command]
        fits = [other for other in rest if len(other) == len(command)
                and all(re.fullmatch(one, word, re.DOTALL) for one, word in zip(pattern, other))]
        commands.append(fits[0] if fits and any(UNKNOWN in word for word in command) else command)
        if commands[-1] in rest:
            rest.remove(commands[-1])
    return sorted(commands), ours[1]


def has_document(tokens):
    return any(token[:1] == "h" and token.endswith("\\n") for token in tokens)


def is_misprinted(tokens):
    """True if bash may print a here-document at a wrong position, after the words of a compound command, or a redirection to `!`
    at the end of the command: the word after `>!`, which is the file in zsh, then stands elsewhere. In a substitution, bash takes
    `<` of `time [[ a < b ]]` for a redirection; here b is a word of the command, which is judged too."""
    if ">!" in tokens or re.search(r"\twtime(\tw-p)?(\tw--)?\tw\[\[\t", "\t" + "\t".join(tokens) + "\t"):
        return True
    return has_document(tokens) and any(token[0] == "w" and token[1:] in RESERVED | {"case", "for", "[["} for token in tokens)


def is_unresolved(tokens):
    return "x" in tokens or "wfunction" in tokens


def is_unread(tokens):
    """True if the reader left something unread. Such a command has the highest risk."""
    return "!" in tokens


BASH = shutil.which("bash")
AWKS = [[name, "awk"] if name == "busybox" else [name]
        for name in ("mawk", "gawk", "original-awk", "busybox") if shutil.which(name)] or [["awk"]]


class Readers(unittest.TestCase):
    def compare(self, seed, count, awks, reader=BIN / "RiskReader"):
        """Compares the readers with each other and with bash. Only the first awk reads more than the first half of the commands:
        the others are slower."""
        made = Commands(random.Random(seed))
        commands, damaged = zip(*(made.command() for _ in range(count)))
        server = judge_by_server(commands, reader)
        for awk in awks:
            some = commands if awk == awks[0] else commands[:count // 2]
            for command, ours, theirs in zip(some, server, judge_by_hooks(awk, some)):
                self.assertEqual(theirs, ours, f"seed {seed}, {awk}: {command!r}")
        printed = printed_by_bash(commands, damaged)
        taken = [(command, tokens, text) for command, tokens, text in zip(commands, server, printed)
                 if text is not None and not is_misprinted(tokens[1:]) and not is_unread(tokens[1:])]
        self.assertGreater(len(taken), count * 3 // 4, f"seed {seed}: bash takes few of the commands")
        again = judge_by_server([text for _, _, text in taken], reader)
        for (command, ours, text), theirs in zip(taken, again):
            said = f"seed {seed}: {command!r}, which bash prints as {text!r}"
            self.assertEqual(known(shape(ours[1:]), shape(theirs[1:])), shape(theirs[1:]), said)
            self.assertTrue(is_unresolved(ours) or not is_unresolved(theirs), said)

    def test_2000_commands(self):
        self.compare(20_261_126, 2_000, AWKS[:1])

    def compare_20000(self, seeds):
        """Uses the optimized reader, because the other takes more than ten times as long."""
        reader = ROOT / ".build/release/RiskReader"
        self.assertTrue(reader.exists(), "run: swift build -c release --product RiskReader")
        for seed in seeds:
            self.compare(seed, 2_000, AWKS if seed % 10 == 0 else AWKS[:1], reader)

    # Each method runs in a process of its own, so that processors share the 100,000 commands.
    def test_20000_commands_from_seed_0(self):
        self.compare_20000(range(10))

    def test_20000_commands_from_seed_10(self):
        self.compare_20000(range(10, 20))

    def test_20000_commands_from_seed_20(self):
        self.compare_20000(range(20, 30))

    def test_20000_commands_from_seed_30(self):
        self.compare_20000(range(30, 40))

    def test_20000_commands_from_seed_40(self):
        self.compare_20000(range(40, 50))

    def test_long_commands(self):
        """Commands of the maximum length, 32 kB, that consist of what a parser could read again and again."""
        parts = ["$(", "`", "\\`", "((", "$((", "{a,", "{a,b}", "'", "\"", "\"$(", "${a:-", "<(", "a=(", "case a in ", "[[ ", "a;", "*a",
                 "[a", "a/../", "//", "<<E\n", "cd a;", "cd b{1,2};", "-exec ", "find -exec ", "bash -c ", "=:@,", "~/", "\\", "a b ",
                 "ssh ", "r*;", "((a)\n", "$((a ", "((( $(a;", "${a:-'", "(( '$(a)' ", "a[$(b)]=1 ", "git submodule a ",
                 "ssh 'ssh \"ssh a b\"' ", "socat exec:'socat \"exec:ssh a/b c\"' ", "ssh -oProxyCommand='ssh a/b' "]
        commands = [(part * 32_768)[:32_768] for part in parts]
        self.assertEqual(judge_by_hooks(AWKS[0], commands), judge_by_server(commands))
