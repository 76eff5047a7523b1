# Checks the server's answer to a prompt against the rule and this machine's copy of the hook's input, and prints the output for
# Claude Code. Builds the output itself; it contains only what the rule allows. Runs with the other files for prompts, with
# LC_ALL=C.
#
# Environment: POST      the file with the envelope, which contains the hook's JSON
#              ANSWER    the file with the server's answer
#              SETTLED   the rule that applies, as policy.awk prints it
#              DIRECTORY not empty: the file of the call is a directory
# Exit: 0 printed; 3 the server leaves the prompt to the terminal; 4 refused, the reason is on standard error.

BEGIN {
    RS = "\n"
    own_text = file_text(ENVIRON["POST"])
    answer_text = file_text(ENVIRON["ANSWER"])
    # The parser has tables for one document, so both texts become one.
    text = "[" own_text "," answer_text "]"
    most_nodes = 200000
    parse()
    hook = member(kid[1, 1], "data"); answer = kid[1, 2]
    if (kids[1] != 2 || kind[hook] != "{" || kind[answer] != "{") refuse("not a JSON object")
    if (!kids[answer]) exit 3
    load_rule()
    output = member(answer, "hookSpecificOutput")
    event = plain(member(hook, "hook_event_name"))
    if (!output || kind[output] != "{" || plain(member(output, "hookEventName")) != event) refuse("an answer to another event")
    if (event == "Elicitation") print head() elicitation() "}}"
    else if (event == "PermissionRequest") print head() "\"decision\":" decision(member(output, "decision")) "}}"
    else refuse("an event that nobody can answer")
    exit 0
}

function refuse(why) {
    printf "%s\n", why > "/dev/stderr"
    exit 4
}

function file_text(path,    line, lines, n) {
    n = 0
    while ((getline line < path) > 0) lines[++n] = line
    close(path)
    return joined(lines, n)
}

function load_rule(    n, i, part, at) {
    n = split(ENVIRON["SETTLED"], part, " ")
    for (i = 1; i <= n; i++) {
        at = index(part[i], "=")
        rule[substr(part[i], 1, at - 1)] = substr(part[i], at + 1)
    }
    if (rule["who"] != "answer") refuse("the machine's file lets nobody answer")
    tool = tool_of(hook)
    input = member(hook, "tool_input")
}

function head() { return "{\"hookSpecificOutput\":{\"hookEventName\":\"" event "\"," }

function decision(given,    behavior, changes, permissions) {
    if (!given || kind[given] != "{") refuse("no decision")
    behavior = plain(member(given, "behavior"))
    if (behavior == "deny") return denial(given)
    if (behavior != "allow") refuse("a decision that is neither allow nor deny")
    changes = member(given, "updatedInput")
    if (changes && kind[changes] == "p" && value[changes] == "null") changes = 0
    if (changes && kind[changes] != "{") refuse("an input that is not an object")
    if (tool == "AskUserQuestion") changes = answers(changes)
    else if (tool == "ExitPlanMode") changes = plan(changes)
    else changes = changed_input(changes)
    permissions = updates(member(given, "updatedPermissions"))
    return "{\"behavior\":\"allow\"" (changes == "" ? "" : ",\"updatedInput\":" changes) \
        (permissions == "" ? "" : ",\"updatedPermissions\":[" permissions "]") "}"
}

function denial(given,    message, interrupt) {
    message = member(given, "message")
    interrupt = member(given, "interrupt")
    return "{\"behavior\":\"deny\"" (message && kind[message] == "s" ? ",\"message\":" source(message) : "") \
        (interrupt && value[interrupt] == "true" ? ",\"interrupt\":true" : "") "}"
}

# The changed input, or empty if it is the machine's own input.
function changed_input(changes) {
    if (!changes || same(changes, input)) return ""
    if (rule["change_input"] != "yes") refuse("a changed input, which change_input=no forbids")
    return source(changes)
}

# The machine's own input, with the answers to its questions.
function answers(changes,    given, notes, list, i, n, out, told, question, note) {
    given = member(changes, "answers")
    list = member(input, "questions")
    if (!given || kind[given] != "{") refuse("no answers to the questions")
    if (!list || kind[list] != "[") refuse("a prompt without questions")
    out = ""; told = ""; n = 0
    notes = member(changes, "annotations")
    for (i = 1; i <= kids[list]; i++) {
        question = member(kid[list, i], "question")
        if (!question || kind[question] != "s") continue
        note = answer_to(given, question)
        if (note) {
            n++
            out = out (out == "" ? "" : ",") source(question) ":" words_of(note)
        }
        note = member(answer_to(notes, question), "notes")
        if (note && kind[note] == "s") told = told (told == "" ? "" : ",") source(question) ":{\"notes\":" source(note) "}"
    }
    if (!n || n != kids[given]) refuse("an answer to a question that was not asked")
    return "{" own_members("answers annotations") "\"answers\":{" out "}" (told == "" ? "" : ",\"annotations\":{" told "}") "}"
}

# The member of an object whose name is the question, or 0.
function answer_to(object, question,    i, found) {
    found = 0
    if (object && kind[object] == "{")
        for (i = 1; i <= kids[object]; i++) if (key_of(kid[object, i]) == plain(question) "") found = kid[object, i]
    return found
}

# An answer as the terminal writes it: several labels are one string.
function words_of(node,    i, out) {
    if (kind[node] == "s") return source(node)
    if (kind[node] != "[" || !kids[node]) refuse("an answer that is not text")
    out = ""
    for (i = 1; i <= kids[node]; i++) {
        if (kind[kid[node, i]] != "s") refuse("an answer that is not text")
        out = out (i > 1 ? ", " : "") inner(kid[node, i])
    }
    return "\"" out "\""
}

function inner(n) { return substr(text, from[n] + 1, stop[n] - from[n] - 1) }

# The members of the machine's own input except the named ones, each followed by a comma.
function own_members(but,    i, out) {
    out = ""
    for (i = 1; i <= kids[input]; i++) {
        if (index(" " but " ", " " name[kid[input, i]] " ")) continue
        out = out substr(text, name_at[kid[input, i]], stop[kid[input, i]] - name_at[kid[input, i]] + 1) ","
    }
    return out
}

# The machine's own input, with the plan as the person edited it.
function plan(changes,    edited, own, members) {
    edited = member(changes, "plan")
    own = member(input, "plan")
    if (!edited || kind[edited] != "s" || same(edited, own)) return source(input)
    if (!own) refuse("a plan where none was asked about")
    members = own_members("plan")
    return "{" members "\"plan\":" source(edited) "}"
}

# An answer to a form. It may contain only fields of the form.
function elicitation(    action, content, schema, i) {
    action = plain(member(output, "action"))
    if (action == "decline" || action == "cancel") return "\"action\":\"" action "\""
    if (action != "accept") refuse("an action that is none of accept, decline and cancel")
    content = member(output, "content")
    schema = member(member(hook, "requested_schema"), "properties")
    if (!content) return "\"action\":\"accept\""
    if (kind[content] != "{") refuse("a form's content that is not an object")
    for (i = 1; i <= kids[content]; i++) check_field(kid[content, i], schema ? named(schema, kid[content, i]) : 0)
    return "\"action\":\"accept\",\"content\":" source(content)
}

function check_field(field, form,    wanted, i) {
    if (!form) refuse("a field that the form does not have")
    wanted = plain(member(form, "type"))
    if (wanted == "boolean") wanted = kind[field] == "p" && value[field] ~ /^(true|false)$/
    else if (wanted == "number") wanted = kind[field] == "p" && value[field] ~ /^[-0-9]/
    else if (wanted == "integer") wanted = kind[field] == "p" && value[field] ~ /^-?[0-9]+$/
    else if (wanted == "array") {
        wanted = kind[field] == "["
        for (i = 1; i <= kids[field]; i++) if (kind[kid[field, i]] != "s") wanted = 0
    } else wanted = kind[field] == "s"
    if (!wanted) refuse("a field that is not of the form's type")
}
