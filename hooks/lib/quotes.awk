# Reads quotes, dollar expansions and backquotes for shell.awk. The functions read from position `at` on. Those that read a part
# of a word return marked text.

# Returns the text with a mark before each character that would have a meaning in a word.
function quoted(text) {
    if (text ~ /[][*?{},]/) gsub(/[][*?{},]/, Q "&", text)
    return text
}

# Returns marked text without its quote marks.
function unmarked(word) {
    if (index(word, Q)) gsub(Q, "", word)
    return word
}

# bash removes a backslash before a line break, and the line break, before it reads the next character. Returns the index of the
# first character from i on that is not removed.
function ahead(i) {
    while (substr(source_text, i, 2) == "\\\n") i += 2
    return i
}

# The character after the one at i.
function following(i) { return substr(source_text, ahead(i + 1), 1) }

# Reads up to the closing single quote.
function single(    part, text) {
    text = ""
    at++
    while (at <= size) {
        part = substr(source_text, at, 256)
        if (match(part, /'/)) {
            at += RSTART
            return quoted(text substr(part, 1, RSTART - 1))
        }
        text = text part
        at += length(part)
    }
    opaque("a quote that does not end")
    return quoted(text)
}

# Reads up to the closing double quote; the opening one has been read.
function double(    word, part, c) {
    word = ""
    while (at <= size) {
        part = substr(source_text, at, 256)
        if (match(part, /^[^"\\$`]+/)) {
            word = word quoted(substr(part, 1, RLENGTH))
            at += RLENGTH
            continue
        }
        c = substr(part, 1, 1)
        if (c == "$") word = word dollar(1)
        else if (c == "`") word = word backquotes(1)
        else if (c == "\"") {
            at++
            return word
        } else {
            c = substr(part, 2, 1)
            at += 2
            if (c == "" || !index("$`\"\\\n", c)) word = word "\\" quoted(c)
            else if (c != "\n") word = word c
        }
    }
    opaque("a quote that does not end")
    return word
}

# Reads the substitutions in the source text, in which quotes have no meaning.
function expand_text(    part) {
    while (at <= size) {
        part = substr(source_text, at, 256)
        if (!match(part, /[\\$`]/)) {
            at += length(part)
            continue
        }
        at += RSTART - 1
        part = substr(part, RSTART, 1)
        if (part == "$") dollar(1)
        else if (part == "`") backquotes(1)
        else at += 2
    }
}

# Reads a text that the shell parses separately: commands, or a text with substitutions.
function separately(text, is_commands,    old_text, old_size, old_at, old_documents, old_read, open) {
    old_text = source_text; old_size = size; old_at = at; old_documents = documents; old_read = documents_read
    source_text = text; size = length(text); at = 1
    documents_read = documents
    open = substitutions; substitutions = 0
    if (is_commands) commands("")
    else expand_text()
    if (documents_read < documents) opaque("a here-document that does not end")
    source_text = old_text; size = old_size; at = old_at; documents = old_documents; documents_read = old_read
    substitutions = open
}

# Reads the expansion that begins with a dollar. `inside` is true in double quotes and here-documents.
function dollar(inside,    c, next_at) {
    next_at = ahead(at + 1)
    c = substr(source_text, next_at, 1)
    if (c == "(") {
        at = next_at
        opaque("a command in a command")
        if (following(at) == "(") double_parentheses()
        else {
            at++
            substitution()
        }
        return U
    }
    if (c == "'" && !inside) {
        at = next_at + 1
        return ansi()
    }
    if (c == "\"" && !inside) {
        opaque("a translated text")
        at = next_at + 1
        return double()
    }
    if (c == "{") {
        opaque("a variable")
        at = next_at + 1
        enclosed(inside)
        return U
    }
    if (c == "[") {
        opaque("arithmetic")
        at = next_at + 1
        if (balanced("[", "]") == "") opaque("a bracket that does not end")
        return U
    }
    if (c == "" || c !~ /^[A-Za-z0-9_*@#?!$-]$/) {
        at++
        return "$"
    }
    opaque("a variable")
    at = next_at + 1
    if (c ~ /^[A-Za-z_]$/) while (substr(source_text, ahead(at), 1) ~ /^[A-Za-z0-9_]$/) at = ahead(at) + 1
    return U
}

# Reads up to the closing brace of ${. Only the substitutions in it are commands.
function enclosed(inside,    c) {
    # In bash 5.3 and other shells, commands follow.
    if (substr(source_text, ahead(at), 1) ~ /^[ \t\n|]$/) leave_unread()
    descend()
    while (at <= size) {
        c = substr(source_text, at, 1)
        if (c == "}") {
            at++
            levels--
            return
        }
        if ((c == "<" || c == ">") && following(at) == "(") {
            # In double quotes, bash reads commands here and does not run them.
            if (inside) leave_unread()
            at = ahead(at + 1) + 1
            opaque("a command in place of a file")
            substitution()
        } else step(c, inside)
    }
    levels--
    opaque("a brace that does not end")
}

# Reads one character, quote or substitution of a text in which only substitutions are commands. There, bash runs the ones between
# single quotes, too, where it takes the quotes for plain characters when it expands the text.
function step(c, inside) {
    if (c == "'") separately(unmarked(single()), 0)
    else if (c == "$" && following(at) == "'") {
        at = ahead(at + 1) + 1
        separately(unmarked(ansi()), 0)
    } else if (c == "$") dollar(inside)
    else if (c == "`") backquotes(inside)
    else if (c == "\\") at += 2
    else if (c == "\"") {
        at++
        double()
    } else at++
}

# Reads the commands in backquotes, where a backslash quotes fewer characters than elsewhere.
function backquotes(inside,    script, part, c) {
    opaque("a command in a command")
    script = ""
    at++
    while (1) {
        part = substr(source_text, at, 256)
        if (part == "") {
            opaque("a quote that does not end")
            break
        }
        if (!match(part, /[\\`]/)) {
            script = script part
            at += length(part)
            continue
        }
        script = script substr(part, 1, RSTART - 1)
        at += RSTART
        if (substr(part, RSTART, 1) == "`") break
        c = substr(source_text, at++, 1)
        script = script (c != "" && index(inside ? "$`\\\"" : "$`\\", c) ? "" : "\\") c
    }
    backquoted++
    separately(script, 1)
    backquoted--
    return U
}

# Reads up to the closing quote of $'. Decodes only ASCII characters.
function ansi(    word, part, c, code) {
    word = ""
    while (at <= size) {
        part = substr(source_text, at, 256)
        if (match(part, /^[^'\\]+/)) {
            word = word quoted(substr(part, 1, RLENGTH))
            at += RLENGTH
            continue
        }
        c = substr(part, 1, 1)
        at++
        if (c == "'") return word
        c = substr(source_text, at, 1)
        part = substr(source_text, at, 3)
        if (match(part, /^[0-7][0-7]?[0-7]?/)) word = word ascii(octal(substr(part, 1, RLENGTH)), RLENGTH)
        else if (match(part, /^x[0-9a-fA-F][0-9a-fA-F]?/)) word = word ascii(hexadecimal(tolower(substr(part, 2, RLENGTH - 1))), RLENGTH)
        else if (c != "" && index("\\'\"?", c)) word = word ascii_mark(c)
        else if (c != "" && (code = index("abtnvfr", c))) word = word ascii(code + 6, 1)
        else if (c == "e" || c == "E") word = word ascii(27, 1)
        else if (c != "" && index("uUcx", c)) word = word ascii(0, 1)
        else word = word "\\"
    }
    opaque("a quote that does not end")
    return word
}

function ascii_mark(c) {
    at++
    return quoted(c)
}

function ascii(code, taken) {
    at += taken
    if (code > 3 && code < 128) return quoted(sprintf("%c", code))
    opaque("a character in a quote")
    return U
}

function octal(digits,    i, n) {
    n = 0
    for (i = 1; i <= length(digits); i++) n = n * 8 + substr(digits, i, 1)
    return n
}
