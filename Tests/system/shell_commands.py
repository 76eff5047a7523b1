"""Generates random shell commands from parts that are easily misread, for the tests of the parsers."""

import random

WORDS = ["a", "b.txt", "src", "-la", "-n", "--color=auto", "x=1", "1", "2", "12", "~", "~/.ssh/id", ".env", "/etc/shadow",
         "/etc//shadow", "../x", "a/../b", "/home/u/p/x", "/tmp/x", "x.pe?", "*.py", "[ab]*", "{a,b}", "{/etc/shadow,}", "d{1..9}",
         "{a}", "a{b,{c,d}}e", "'a b'", "'#'", "\"a b\"", "\"$x\"", "\"a\\\"b\"", "'it'\\''s'", "$x", "${x}", "${x:-y}", "$(ls a)",
         "`ls a`", "\"$(rm x)\"", "\"`rm x`\"", "$((1+2))", "$'a\\tb'", "$'\\x72m'", "$\"a\"", "a\\ b", "\\;", "\\\n", "a\\\nb",
         "#c", "a#b", "a\rb", "\r", "!", "-", "--", "+", "{}", "''", "$", "a$", "=", "@a", "k:v", "<(ls a)", ">(rm x)", "x[1]=2",
         "e\u00e9", "\\rm", "r''m", "rm", "-exec", "-delete", "-o", "-t/x", "--output=y", "--pre", "-v", "-c", "'rm x'", "eof"]
PROGRAMS = ["ls", "cat", "rm", "git push", "git log", "git status", "echo", "find .", "grep x", "sort", "cp", "mkdir", "cd", "cd ..",
            "cd /etc", "touch", "test", "[", "printf", "sudo", "sudo -u bob", "env", "env -S", "xargs", "timeout 5", "time", "nice -n 5",
            "bash -c", "sh", "ssh h", "eval", "command", "command -v", "nohup", "curl", "jq", "tree", "tee", "diff", "npm", "rg x", "ps"]
REDIRECTIONS = [">x", "> x", ">>x", "2>&1", ">&1", ">&2", ">&1#x", ">&1.txt", "&>x", "&>>x", ">|x", "<>x", "<x", "<&-", "2>/dev/null",
                "< .env", ">../x", "<<<a", "<<< \"$x\"", "<<<'rm x'"]
JOINTS = [";", "\n", " && ", " || ", " | ", " & ", ";\n", " |& ", "\n\n", " ; "]


class Commands:
    """Commands from a random.Random. bash accepts most of them, but not all."""

    def __init__(self, random):
        self.random = random

    def some(self, make, most):
        return [make() for _ in range(self.random.randrange(most + 1))]

    def word(self):
        return self.random.choice(WORDS)

    def simple(self, depth):
        parts = [self.random.choice(PROGRAMS)] + self.some(self.word, 3)
        if self.random.random() < 0.1:
            parts.insert(0, self.random.choice(["A=1", "A+=x", "A=~/.netrc", "A='b c'", "A[1]=2"]))
        if self.random.random() < 0.25:
            parts.insert(self.random.randrange(1, len(parts) + 1), self.random.choice(REDIRECTIONS))
        if self.random.random() < 0.15 and depth < 3:
            inner = self.list(depth + 1)
            form = self.random.choice(["$(%s)", "\"$(%s)\"", "<(%s)", "\"a ${x:-$(%s)} b\"", "`%s`"])
            if "`" not in inner + form and "\\" not in inner or form != "`%s`":
                parts.append(form % inner)
        text = " ".join(parts)
        if self.random.random() < 0.05:
            body = "\n".join(self.some(self.word, 2) + ["$(ls h)", ""])
            text += self.random.choice([" <<E\n%sE\n", " <<'E'\n%sE\n", " <<-E\n\t%s\tE\n"]) % body
        return text + (" # it's a comment; rm x" if self.random.random() < 0.04 and not text.endswith("\n") else "")

    def compound(self, depth):
        one, two = self.list(depth + 1), self.list(depth + 1)
        form = self.random.choice([
            "(%s\n)", "{ %s\n}", "if %s\nthen %s\nfi", "while %s\ndo %s\ndone", "for i in a b; do %s\ndone", "! %s", "time %s",
            "case $x in a) %s\n;; b|c) %s\n;; esac", "case x in (a) %s\n;; *) %s\nesac", "f() { %s\n}", "function f { %s\n}",
            "coproc { %s\n}", "[[ -f a && x < y ]] && %s", "((x > 1)) && %s", "for ((i=0;i<3;i++)); do %s\ndone", "until %s\ndo %s\ndone",
            "a=(x 'y z' $(ls q)); %s", "select i in a; do %s\ndone", "[[ a =~ ^(b|c)$ ]]; %s", "coproc N { %s\n}"])
        return form % ((one, two)[:form.count("%s")])

    def list(self, depth=0):
        parts = []
        for _ in range(1 + self.random.randrange(3 if depth else 4)):
            parts.append(self.compound(depth) if depth < 3 and self.random.random() < 0.2 else self.simple(depth))
        text = parts[0]
        for part in parts[1:]:
            text += (self.random.choice(JOINTS) if not text.endswith("\n") and "#" not in text.rsplit("\n", 1)[-1] else "\n") + part
        return text

    @staticmethod
    def continued(text):
        """The text, sometimes with line ends that bash removes before it reads the next character. The text seeds a generator
        of its own, so the other commands stay as they are."""
        chance = random.Random(text)
        if chance.random() < 0.8:
            return text
        return "".join(one + ("\\\n" if one in "$<>&;|({)" and chance.random() < 0.3 else "") for one in text)

    def command(self):
        """A command, and whether it was damaged."""
        text = self.list()
        text = self.continued(text)
        if self.random.random() >= 0.1:
            return text, False
        place = self.random.randrange(len(text) + 1)
        return text[:place] + self.random.choice("'\"`$(){}[]|&;<>\\#\n\r *?~") + text[place:], True
