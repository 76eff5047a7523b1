"""Just enough of Swift's lexical structure to tell code from comments and text."""

import re

STRING_START = re.compile(r'(#*)("""|")')
IMPORT = re.compile(
    r"^[ \t]*((?:@\w+(?:\([^)\n]*\))?[ \t]+)*)(?:(?:public|package|internal|fileprivate|private)[ \t]+)?import[ \t]+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)[ \t]+)?(\w+)", re.MULTILINE)


def code_only(text):
    """The source with comments and string contents turned to spaces; every character keeps its line and column.

    Interpolated code stays. Regular expression literals are taken for code.
    """
    out = []
    position = 0
    # What the position is in: an open string as (quote, hashes), or interpolated code as its count of open parentheses.
    nesting = []

    def blank(end):
        nonlocal position
        out.append(re.sub(r"[^\n]", " ", text[position:end]))
        position = max(end, position + 1)

    while position < len(text):
        if nesting and isinstance(nesting[-1], tuple):
            quote, hashes = nesting[-1]
            escape = "\\" + hashes
            if text.startswith(quote + hashes, position):
                nesting.pop()
                blank(position + len(quote + hashes))
            elif text.startswith(escape + "(", position):
                nesting.append(0)
                blank(position + len(escape) + 1)
            elif text.startswith(escape, position):
                blank(min(position + len(escape) + 1, len(text)))
            elif text[position] == "\n" and quote == '"':
                nesting.pop()
            else:
                blank(position + 1)
        elif text.startswith("//", position):
            blank(_end_of_line(text, position))
        elif text.startswith("/*", position):
            blank(_end_of_block_comment(text, position))
        elif start := STRING_START.match(text, position):
            nesting.append((start.group(2), start.group(1)))
            blank(start.end())
        elif nesting and text[position] == ")" and nesting[-1] == 0:
            nesting.pop()
            blank(position + 1)
        else:
            if nesting:
                nesting[-1] += {"(": 1, ")": -1}.get(text[position], 0)
            out.append(text[position])
            position += 1
    return "".join(out)


def _end_of_line(text, position):
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _end_of_block_comment(text, position):
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, position):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def imports(text):
    """Every import as (line, module, attributes)."""
    code = code_only(text)
    return [(line_of(code, found.start(2)), found.group(2), found.group(1).split()) for found in IMPORT.finditer(code)]
