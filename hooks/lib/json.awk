# A strict JSON reader over the variable `text`: parse() fills the tables below and calls refuse() at the first fault.
# Only POSIX awk; run it with LC_ALL=C.
#
# Each value is a node with a number; the root is 1. kind: { [ s (string) p (number, true, false, null). from..stop: the text of
# the value. up: the parent. kid[n, 1...kids[n]]: the children. name: the decoded key. name_at: the position of the key. value:
# the value of a scalar.
#
# most_nodes limits the number of values in a document; 0 means no limit. It bounds the time and the memory of a parse.

function fault(what,    upto) {
    upto = substr(text, 1, at)
    refuse("line " (gsub(/\n/, "", upto) + 1) ": " what)
}

function parse(    want, top, c, n, key, key_at) {
    split("", kind); split("", kids); split("", kid); split("", stop)
    split("", name); split("", name_at); split("", value)
    at = substr(text, 1, 3) == "\357\273\277" ? 4 : 1
    nodes = 0; top = 0; want = "value"
    base = at; buffer = substr(text, at, 2048)
    while (1) {
        while (index(" \t\r\n", c = peek()) && c != "") at++
        if (want == "end") {
            if (c != "") fault("something follows the end of the object")
            return
        }
        if (c == "") fault("the file ends too early")
        if ((want ~ /close/ || want == "comma") && c == (kind[top] == "{" ? "}" : "]")) {
            stop[top] = at++
            top = up[top]
            want = top ? "comma" : "end"
        } else if (want == "comma") {
            if (c != ",") fault("a comma or the end of the list is missing")
            at++
            want = kind[top] == "{" ? "key" : "value"
        } else if (want ~ /^key/) {
            if (c != "\"") fault("a key in double quotes is expected")
            key_at = at
            key = string()
            while (index(" \t\r\n", c = peek()) && c != "") at++
            if (c != ":") fault("a colon is missing")
            at++
            want = "value"
        } else {
            n = ++nodes
            if (most_nodes && n > most_nodes) fault("more than " most_nodes " values")
            up[n] = top; from[n] = at; kids[n] = 0
            name[n] = ""; name_at[n] = at
            if (top) {
                kid[top, ++kids[top]] = n
                if (kind[top] == "{") { name[n] = key; name_at[n] = key_at }
            }
            if (c == "{" || c == "[") {
                kind[n] = c
                at++
                top = n
                want = c == "{" ? "key or close" : "value or close"
            } else {
                scalar(n, c)
                stop[n] = at - 1
                want = top ? "comma" : "end"
            }
        }
    }
}

function scalar(n, c,    rest) {
    if (c == "\"") {
        kind[n] = "s"
        value[n] = string()
        return
    }
    kind[n] = "p"
    peek()
    rest = substr(buffer, at - base + 1, 400)
    if (!match(rest, /^(true|false|null|-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?)/)) fault("not a JSON value")
    at += RLENGTH
    value[n] = substr(rest, 1, RLENGTH)
    if (index("0123456789.eE+-", c = peek()) && c != "") fault("not a JSON number")
}

# Reads the string that starts at `at`. Decodes escapes of printable ASCII characters only.
function string(    out, tail, c, code, part, found) {
    at++
    out = ""; tail = ""
    while (1) {
        # Appending to a long string copies it, so `out` grows in large steps.
        if (length(tail) > 4096) {
            out = out tail
            tail = ""
        }
        peek()
        part = substr(buffer, at - base + 1)
        if (part == "") fault("a string does not end")
        found = match(part, /["\\]/)
        if (found) part = substr(part, 1, found - 1)
        if (part ~ control()) fault("a control character in a string")
        tail = tail part
        at += length(part)
        if (!found) continue
        c = peek()
        at++
        if (c == "\"") return out tail
        c = peek()
        at++
        if (c == "" || !index("\"\\/bfnrtu", c)) fault("an unknown escape in a string")
        if (c != "u") {
            tail = tail (index("\"\\/", c) ? c : "\\" c)
            continue
        }
        peek()
        code = substr(buffer, at - base + 1, 4)
        if (code !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) fault("a \\u escape without four digits")
        at += 4
        tail = tail unescape(tolower(code))
    }
}

function unescape(code,    n) {
    n = (index("0123456789abcdef", substr(code, 3, 1)) - 1) * 16 + index("0123456789abcdef", substr(code, 4, 1)) - 1
    if (substr(code, 1, 2) != "00" || n < 32 || n > 126) return "\\u" code
    return sprintf("%c", n)
}

# A pattern for the control characters that JSON escapes. It is built at run time, because awks differ in escapes.
function control(    n) {
    if (controls == "") {
        for (n = 1; n < 32; n++) controls = controls sprintf("%c", n)
        controls = "[" controls "]"
    }
    return controls
}

# The character at `at`. Reads it from a short window, because substr takes time in proportion to the whole string in some awks.
function peek() {
    if (at < base || at >= base + 1024) {
        base = at
        buffer = substr(text, at, 2048)
    }
    return substr(buffer, at - base + 1, 1)
}

# The last member with the name, as in most JSON parsers; 0 if there is none.
function member(object, key,    i, found) {
    found = 0
    if (object && kind[object] == "{")
        for (i = 1; i <= kids[object]; i++) if (name[kid[object, i]] == key) found = kid[object, i]
    return found
}
