# Checks the changes of permissions in an answer, for answer.awk. Such a change applies to more than one call.

# The text of the changes of permissions. Refuses the answer if the rule does not allow each of them.
function updates(list,    i, n, out, item, form) {
    if (!list || kind[list] == "p" && value[list] == "null") return ""
    if (kind[list] != "[") refuse("permissions that are not a list")
    out = ""; n = kids[list]
    for (i = 1; i <= n; i++) {
        item = kid[list, i]
        form = plain(member(item, "type"))
        if (form == "addRules") check_rules(item)
        else if (form == "setMode") check_mode(item)
        else if (form == "addDirectories") check_directories(item)
        else refuse("a change of permissions of the kind " substr(form, 1, 40))
        out = out (out == "" ? "" : ",") composed(item, form)
    }
    return out
}

function composed(item, form,    out) {
    out = "{\"type\":\"" form "\""
    if (form == "addRules") out = out ",\"rules\":[" rules_text(member(item, "rules")) "],\"behavior\":\"allow\""
    if (form == "setMode") out = out ",\"mode\":" source(member(item, "mode"))
    if (form == "addDirectories") out = out ",\"directories\":" source(member(item, "directories"))
    return out ",\"destination\":\"" plain(member(item, "destination")) "\"}"
}

function rules_text(list,    i, out, content) {
    out = ""
    for (i = 1; i <= kids[list]; i++) {
        content = member(kid[list, i], "ruleContent")
        out = out (i > 1 ? "," : "") "{\"toolName\":" source(member(kid[list, i], "toolName")) \
            (content ? ",\"ruleContent\":" source(content) : "") "}"
    }
    return out
}

# A rule for exactly this call may last for the session. A wider or longer one needs always=yes.
function check_rules(item,    destination, list, i, one, content) {
    destination = plain(member(item, "destination"))
    list = member(item, "rules")
    if (plain(member(item, "behavior")) != "allow") refuse("a rule that does not allow")
    if (destination != "session" && destination != "localSettings") refuse("a rule for more than this project")
    if (destination != "session" && rule["always"] != "yes") refuse("a rule for ever, which always=no forbids")
    if (!list || kind[list] != "[" || !kids[list]) refuse("no rules")
    for (i = 1; i <= kids[list]; i++) {
        one = kid[list, i]
        content = member(one, "ruleContent")
        if (!is_text(member(one, "toolName")) || content && !is_text(content)) refuse("not a rule")
        if (is_exact(one, content)) continue
        if (rule["always"] != "yes") refuse("a rule for more than this call, which always=no forbids")
        if (is_suggested_rule(one)) continue
        if (rule["rules"] != "any") refuse("a rule that Claude Code did not suggest, though the machine's file does not let devices answer for all calls of the tool")
        if (plain(member(one, "toolName")) != tool || !content || plain(content) ~ /^[ *:]*$/) refuse("a rule for another tool or for all of its calls")
    }
}

function is_text(node) { return node && kind[node] == "s" }

# True if the rule matches exactly this call. A path of a directory has no such rule, because its rule matches all files below it.
function is_exact(one, content,    target, wanted) {
    if (!content) return 0
    if (tool == "Bash") {
        target = exact_command()
        return target != "" && plain(member(one, "toolName")) == "Bash" && plain(content) "" == target ""
    }
    target = exact_path()
    if (target == "" || ENVIRON["DIRECTORY"] != "" || plain(content) "" != "/" target) return 0
    wanted = tool == "Read" ? "Read" : "Edit"
    return plain(member(one, "toolName")) == wanted
}

function is_suggested_rule(one,    list, i, j, rules_of) {
    list = member(hook, "permission_suggestions")
    if (!list || kind[list] != "[") return 0
    for (i = 1; i <= kids[list]; i++) {
        if (plain(member(kid[list, i], "type")) != "addRules" || plain(member(kid[list, i], "behavior")) != "allow") continue
        rules_of = member(kid[list, i], "rules")
        if (rules_of && kind[rules_of] == "[") for (j = 1; j <= kids[rules_of]; j++) if (same(kid[rules_of, j], one)) return 1
    }
    return 0
}

# Refuses a change of permissions unless Claude Code suggested it for this session.
function check_suggested(item,    list, i) {
    if (plain(member(item, "destination")) != "session") refuse("a change of permissions beyond this session")
    list = member(hook, "permission_suggestions")
    if (list && kind[list] == "[") for (i = 1; i <= kids[list]; i++) if (same(kid[list, i], item)) return
    refuse("a change of permissions that was not suggested")
}

function check_mode(item,    mode) {
    mode = plain(member(item, "mode"))
    if (mode != "acceptEdits" && mode != "default") refuse("the mode " substr(mode, 1, 40))
    if (tool == "ExitPlanMode") {
        if (plain(member(item, "destination")) != "session") refuse("a mode beyond this session")
    } else {
        check_suggested(item)
    }
    if (mode == "acceptEdits" && rule["edits"] != "yes") refuse("acceptEdits, though the machine's file lets nobody answer for all that it permits")
}

function check_directories(item,    list, i) {
    check_suggested(item)
    list = member(item, "directories")
    if (!list || kind[list] != "[") refuse("no directories")
    for (i = 1; i <= kids[list]; i++) if (!is_text(kid[list, i])) refuse("no directories")
    if (rule["directories"] != "yes") refuse("addDirectories, though the machine's file lets nobody answer for all that it permits")
}
