# Puts our hooks into a Claude Code settings file, or takes them out, as an edit of the text: nothing else moves.
#
# Standard input: the file, followed by one extra character (so that the end of the last line is not lost).
# Environment: MODE   install | remove
#              WANT   lines "Event seconds" (install)
#              CALL   the command without the event's name (install)
#              MARK   text that only our commands contain
#              MADE   containers that an earlier install made, in words: hooks, hooks.Event; or - if not known
# Standard output: the new text. The file named by MADE_OUT gets the containers that this install made.
# Exit: 0 changed, 3 nothing to change, 1 refused (the reason is on standard error).

BEGIN { RS = "\n"; text = "" }
{ text = text (NR > 1 ? "\n" : "") $0 }
END {
    text = substr(text, 1, length(text) - 1)
    if (text ~ /^[ \t\r\n]*$/) text = "{}" newline()
    eol = newline()
    made = ENVIRON["MADE"]
    reparse()
    if (ENVIRON["MODE"] == "install" && installed()) exit 3
    before = text
    while (remove_one()) reparse()
    if (ENVIRON["MODE"] == "install") add_all()
    if (text == before) exit 3
    printf "%s", text
    if (ENVIRON["MADE_OUT"] != "") print made_now > ENVIRON["MADE_OUT"]
}

function newline() { return index(text, "\r\n") ? "\r\n" : "\n" }

function refuse(why) {
    printf "%s\n", why > "/dev/stderr"
    failed = 1
    exit 1
}

# Parsing: a node per value. kind: { [ s (string) p (number, true, false, null). from..to: its text.
# up: parent; kids, kid[n, 1...]; name: key, decoded; name_at: where the key starts.

function reparse() {
    parse()
    hooks = member(1, "hooks")
    if (kind[1] != "{") refuse("the top level is not an object")
    if (hooks && kind[hooks] != "{") refuse("\"hooks\" is not an object")
}

function fault(what,    upto) {
    upto = substr(text, 1, at)
    refuse("line " (gsub(/\n/, "", upto) + 1) ": " what)
}

function parse(    want, top, c, n, key, key_at) {
    split("", kind); split("", kids); split("", kid); split("", stop)
    split("", name); split("", name_at); split("", value)
    at = substr(text, 1, 3) == "\357\273\277" ? 4 : 1
    nodes = 0; top = 0; want = "value"
    while (1) {
        while (index(" \t\r\n", c = substr(text, at, 1)) && c != "") at++
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
            while (index(" \t\r\n", c = substr(text, at, 1)) && c != "") at++
            if (c != ":") fault("a colon is missing")
            at++
            want = "value"
        } else {
            n = ++nodes
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
    rest = substr(text, at, 400)
    if (!match(rest, /^(true|false|null|-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?)/)) fault("not a JSON value")
    at += RLENGTH
    value[n] = substr(rest, 1, RLENGTH)
    if (index("0123456789.eE+-", c = substr(text, at, 1)) && c != "") fault("not a JSON number")
}

# Reads the string that starts at `at`; the result is decoded as far as ASCII goes.
function string(    out, c, code) {
    at++
    out = ""
    while (1) {
        c = substr(text, at++, 1)
        if (c == "\"") return out
        if (c == "") fault("a string does not end")
        if (c != "\\") {
            if (index(control(), c)) fault("a control character in a string")
            out = out c
            continue
        }
        c = substr(text, at++, 1)
        if (c == "" || !index("\"\\/bfnrtu", c)) fault("an unknown escape in a string")
        if (c != "u") {
            out = out (index("\"\\/", c) ? c : "\\" c)
            continue
        }
        code = substr(text, at, 4)
        if (code !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) fault("a \\u escape without four digits")
        at += 4
        out = out unescape(tolower(code))
    }
}

function unescape(code,    n) {
    n = (index("0123456789abcdef", substr(code, 3, 1)) - 1) * 16 + index("0123456789abcdef", substr(code, 4, 1)) - 1
    if (substr(code, 1, 2) != "00" || n < 32 || n > 126) return "\\u" code
    return sprintf("%c", n)
}

function control(    n) {
    if (controls == "") for (n = 1; n < 32; n++) controls = controls sprintf("%c", n)
    return controls
}

# The member of that name; of several the last, as JSON readers do.
function member(object, key,    i, found) {
    found = 0
    if (object && kind[object] == "{")
        for (i = 1; i <= kids[object]; i++) if (name[kid[object, i]] == key) found = kid[object, i]
    return found
}

function ours(handler,    command) {
    command = member(handler, "command")
    return command && kind[command] == "s" && index(value[command], ENVIRON["MARK"])
}

# Finding: calls of `found(node)` would need closures, so the walk leaves its place in event_i, group_i, handler_i.
function next_ours(    event, group, list) {
    for (; event_i <= kids[hooks]; event_i++) {
        event = kid[hooks, event_i]
        if (kind[event] == "[") for (; group_i <= kids[event]; group_i++) {
            group = kid[event, group_i]
            list = member(group, "hooks")
            if (list && kind[list] == "[") while (++handler_i <= kids[list])
                if (ours(kid[list, handler_i])) return kid[list, handler_i]
            handler_i = 0
        }
        group_i = 1
    }
    return 0
}

function walk_start() { event_i = 1; group_i = 1; handler_i = 0 }

# True if what is wanted is there, once each, and nothing else of ours.
function installed(    n, i, lines, part, handler, limit, group, matcher, event, seen) {
    if (!hooks) return 0
    n = split(ENVIRON["WANT"], lines, "\n")
    for (i = 1; i <= n; i++) if (split(lines[i], part, " ") == 2) seen[part[1]] = part[2]
    walk_start()
    while (handler = next_ours()) {
        event = name[kid[hooks, event_i]]
        limit = member(handler, "timeout")
        group = up[up[handler]]
        matcher = member(group, "matcher")
        if (!(event in seen) || !limit || value[limit] != seen[event] || kids[handler] != 3) return 0
        if (value[member(handler, "type")] != "command") return 0
        if (value[member(handler, "command")] != ENVIRON["CALL"] " " event) return 0
        if (matcher && value[matcher] != "" && value[matcher] != "*") return 0
        delete seen[event]
    }
    for (event in seen) return 0
    return 1
}

# Takes one of our handlers out, together with the containers that it leaves empty and that are not the user's.
function remove_one(    node, event) {
    if (!hooks) return 0
    walk_start()
    node = next_ours()
    if (!node) return 0
    event = kid[hooks, event_i]
    if (kids[up[node]] == 1) {
        node = up[up[node]]
        if (kids[event] == 1 && is_made("hooks." name[event])) {
            node = event
            if (kids[hooks] == 1 && is_made("hooks")) node = hooks
        }
    }
    cut(node)
    return 1
}

function is_made(container) {
    return made == "-" || index(" " made " ", " " container " ")
}

function cut(node,    parent, i) {
    parent = up[node]
    for (i = 1; kid[parent, i] != node; i++);
    if (kids[parent] == 1) splice(from[parent] + 1, stop[parent] - 1, "")
    else if (i < kids[parent]) splice(name_at[node], name_at[kid[parent, i + 1]] - 1, "")
    else splice(stop[kid[parent, i - 1]] + 1, stop[node], "")
}

function splice(first, last, new) {
    text = substr(text, 1, first - 1) new substr(text, last + 1)
}

function add_all(    n, i, lines, part, event) {
    unit = indent_unit()
    n = split(ENVIRON["WANT"], lines, "\n")
    for (i = 1; i <= n; i++) {
        if (split(lines[i], part, " ") != 2) continue
        if (!hooks) made_now = made_now " hooks"
        if (!hooks) { insert(1, "\"hooks\": ", "{}"); reparse() }
        event = member(hooks, part[1])
        if (!event) {
            made_now = made_now " hooks." part[1]
            insert(hooks, "\"" part[1] "\": ", "[]")
            reparse()
            event = member(hooks, part[1])
        }
        if (kind[event] != "[") refuse("\"hooks." part[1] "\" is not a list")
        insert(event, "", "group", part[1], part[2])
        reparse()
    }
}

# White space that starts the line at which position p stands.
function indent_at(p,    line) {
    line = substr(text, 1, p - 1)
    sub(/^(.*\n)/, "", line)
    match(line, /^[ \t]*/)
    return substr(line, 1, RLENGTH)
}

function indent_unit(    gap) {
    if (!kids[1]) return "  "
    gap = substr(text, from[1] + 1, name_at[kid[1, 1]] - from[1] - 1)
    if (!index(gap, "\n")) return ""
    gap = indent_at(name_at[kid[1, 1]])
    return gap == "" ? "  " : gap
}

# Appends a child to a container, in the container's style: on lines of its own, or in the same line.
function insert(parent, label, what, event, limit,    last, ind, tail) {
    last = kids[parent] ? kid[parent, kids[parent]] : 0
    if (last ? !index(substr(text, from[parent], name_at[kid[parent, 1]] - from[parent]), "\n") : unit == "") {
        what = what == "group" ? group_text("", "", "", event, limit) : what
        if (last) splice(stop[last] + 1, stop[last], ", " label what)
        else splice(from[parent] + 1, stop[parent] - 1, label what)
        return
    }
    tail = indent_at(from[parent])
    ind = last ? indent_at(name_at[kid[parent, 1]]) : tail unit
    what = what == "group" ? group_text(eol ind, unit == "" ? "  " : unit, eol, event, limit) : what
    if (last) splice(stop[last] + 1, stop[last], "," eol ind label what)
    else splice(from[parent] + 1, stop[parent] - 1, eol ind label what eol tail)
}

# nl: line break and indentation of the group, or "" for one line.
function group_text(nl, u, multi, event, limit,    gap, command) {
    gap = multi == "" ? " " : ""
    command = ENVIRON["CALL"] " " event
    gsub(/\\/, "\\\\&", command)
    gsub(/"/, "\\\\&", command)
    return "{" nl u "\"hooks\": [" nl u u "{" \
        nl u u u "\"type\": \"command\"," gap nl u u u "\"command\": \"" command "\"," gap nl u u u "\"timeout\": " limit nl u u "}" nl u "]" nl "}"
}
