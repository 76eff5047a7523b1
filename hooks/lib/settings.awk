# Adds our hooks to a Claude Code settings file, or removes them. Edits the text, so everything else stays as it is.
# Runs after json.awk, with LC_ALL=C.
#
# Standard input: the file, followed by one extra character, which preserves the end of the last line.
# Environment: MODE   install | remove
#              WANT   lines "Event seconds", or "Event seconds argument" for an asynchronous handler (install)
#              CALL   the command without its argument, which is the event's name or the argument in WANT (install)
#              MARK   text that only our commands contain
#              TELEMETRY  lines "NAME=VALUE" for `env`, and HELPER the command for otelHeadersHelper; empty: none (install)
#              HELPER_MARK  text that only our helper contains
#              MADE   the containers (objects and lists) that install.sh added earlier: hooks, hooks.Event, env, separated by
#                     spaces; or - if that is not known
# Standard output: the new text. The containers that this run added go to the file MADE_OUT. The word `telemetry` goes to the file
# TOLD if the settings already configure other telemetry, which is not changed.
# Exit: 0 changed, 3 nothing to change, 1 refused (the reason is on standard error).

BEGIN { RS = "\n"; text = "" }
{ text = text (NR > 1 ? "\n" : "") $0 }
END {
    text = substr(text, 1, length(text) - 1)
    if (text ~ /^[ \t\r\n]*$/) text = "{}" newline()
    eol = newline()
    made = ENVIRON["MADE"]
    reparse()
    telemetry_look()
    if (ENVIRON["MODE"] == "install" && installed() && telemetry_installed()) exit 3
    before = text
    while (remove_one()) reparse()
    while (telemetry_remove_one()) reparse()
    if (ENVIRON["MODE"] == "install") {
        add_all()
        reparse()
        telemetry_add()
    }
    if (text == before) exit 3
    printf "%s", text
    if (ENVIRON["MADE_OUT"] != "") print made_now > ENVIRON["MADE_OUT"]
}

function newline() { return index(text, "\r\n") ? "\r\n" : "\n" }

function refuse(why) {
    printf "%s\n", why > "/dev/stderr"
    exit 1
}

function reparse() {
    parse()
    hooks = member(1, "hooks")
    if (kind[1] != "{") refuse("the top level is not an object")
    if (hooks && kind[hooks] != "{") refuse("\"hooks\" is not an object")
}

function ours(handler,    command) {
    command = member(handler, "command")
    return command && kind[command] == "s" && index(value[command], ENVIRON["MARK"])
}

# Returns our next handler, or 0. The position of the search is in event_i, group_i and handler_i.
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

# True if the file contains each wanted handler once, and no other handler of ours.
function installed(    n, i, lines, part, handler, limit, group, matcher, event, seen) {
    if (!hooks) return 0
    n = split(ENVIRON["WANT"], lines, "\n")
    for (i = 1; i <= n; i++) if (split(lines[i], part, " ") >= 2) seen[part[1] " " part[3]] = part[2]
    walk_start()
    while (handler = next_ours()) {
        event = name[kid[hooks, event_i]]
        limit = member(handler, "timeout")
        group = up[up[handler]]
        matcher = member(group, "matcher")
        event = event " " (member(handler, "async") ? argument_of(handler) : "")
        if (!(event in seen) || !limit || value[limit] != seen[event]) return 0
        if (kids[handler] != (member(handler, "async") ? 4 : 3) || value[member(handler, "type")] != "command") return 0
        sub(/ $/, "", event)
        if (value[member(handler, "command")] != ENVIRON["CALL"] " " last_word(event)) return 0
        if (matcher && value[matcher] != "" && value[matcher] != "*") return 0
        delete seen[event (index(event, " ") ? "" : " ")]
    }
    for (event in seen) return 0
    return 1
}

function last_word(words) {
    sub(/^.* /, "", words)
    return words
}

function argument_of(handler) { return last_word(value[member(handler, "command")]) }

# Removes one of our handlers, and the containers that become empty if install.sh added them. False if there is no handler.
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

# Adds the wanted handlers: one by one to the events that have a list, and in one edit for the other events.
function add_all(    n, i, lines, part, event, missing, second, seconds) {
    unit = indent_unit()
    n = split(ENVIRON["WANT"], lines, "\n")
    missing = 0; seconds = 0
    for (i = 1; i <= n; i++) {
        if (split(lines[i], part, " ") < 2) continue
        event = member(hooks, part[1])
        if (!event && part[3] == "") {
            new_event[++missing] = part[1]
            new_limit[missing] = part[2]
            continue
        }
        if (part[3] != "") {
            second[++seconds] = lines[i]
            continue
        }
        add_group(event, part[1], part[2], "")
    }
    if (missing) add_events(missing)
    for (i = 1; i <= seconds; i++) {
        split(second[i], part, " ")
        add_group(member(hooks, part[1]), part[1], part[2], part[3])
    }
}

function add_group(event, named, limit, argument) {
    if (kind[event] != "[") refuse("\"hooks." named "\" is not a list")
    style(event)
    append(event, group_text(nl, named, limit, argument))
    reparse()
}

function add_events(missing,    i) {
    for (i = 1; i <= missing; i++) made_now = made_now " hooks." new_event[i]
    if (!hooks) made_now = made_now " hooks"
    style(hooks ? hooks : 1)
    append(hooks ? hooks : 1, hooks ? members_text(nl, missing) \
        : "\"hooks\": {" nl step members_text(nl step, missing) nl "}")
    reparse()
}

# The white space at the beginning of the line that contains position p.
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

# Chooses the layout of a container's children: nl begins a line at their depth, step indents by one more level. Both are empty if
# the container is written on one line.
function style(parent,    first) {
    first = kids[parent] ? name_at[kid[parent, 1]] : 0
    inline = first ? !index(substr(text, from[parent], first - from[parent]), "\n") : unit == ""
    step = inline ? "" : (unit == "" ? "  " : unit)
    nl = inline ? "" : eol (first ? indent_at(first) : indent_at(from[parent]) step)
    gap = inline ? " " : ""
}

function append(parent, item,    last) {
    if (kids[parent]) {
        last = stop[kid[parent, kids[parent]]]
        splice(last + 1, last, "," (inline ? " " : nl) item)
    } else {
        splice(from[parent] + 1, stop[parent] - 1, inline ? item : nl item eol indent_at(from[parent]))
    }
}

function members_text(nl, n,    i, out) {
    for (i = 1; i <= n; i++)
        out = out (i > 1 ? "," gap nl : "") "\"" new_event[i] "\": [" \
            nl step group_text(nl step, new_event[i], new_limit[i], "") nl "]"
    return out
}

function in_json(words) {
    gsub(/\\/, "\\\\&", words)
    gsub(/"/, "\\\\&", words)
    return words
}

function group_text(nl, event, limit, argument,    command, deep) {
    command = in_json(ENVIRON["CALL"] " " (argument == "" ? event : argument))
    deep = nl step step step
    return "{" nl step "\"hooks\": [" nl step step "{" deep "\"type\": \"command\"," gap \
        deep "\"command\": \"" command "\"," gap deep (argument == "" ? "" : "\"async\": true," gap deep) \
        "\"timeout\": " limit nl step step "}" nl step "]" nl "}"
}
