# The approvals file of the machine: finds the rule for a prompt. Runs with json.awk, values.awk and risk.awk.
#
# A rule is a line of words `key=value`, separated by spaces. A value with spaces is in double quotes. # begins a comment. The
# first rule that matches applies. Keys that it does not contain have their defaults. A line with `messages=` is a rule for
# messages to sessions, not for prompts.

# Reads the file. Sets rules, the number of rules, and flaw if a line is not valid.
function approvals_load(path,    line, number, read) {
    rules = 0; flaw = ""
    number = 0
    while ((read = (getline line < path)) > 0) {
        number++
        sub(/\r$/, "", line)
        gsub(/\t/, " ", line)
        sub(/^ +/, "", line)
        if (line == "" || line ~ /^#/) continue
        rules++
        rule_line[rules] = number
        rule_text[rules] = line
        if (!rule_words(rules, line)) {
            flaw = "line " number ": " flaw
            return
        }
    }
    if (read < 0) flaw = "it cannot be read"
    close(path)
}

function rule_words(rule, line,    at, key, word) {
    while (line != "" && line !~ /^#/) {
        at = index(line, "=")
        key = at ? substr(line, 1, at - 1) : line
        if (!at || !(key in rule_form)) {
            flaw = "\"" substr(key, 1, 40) "\" is no key"
            return 0
        }
        line = substr(line, at + 1)
        if (substr(line, 1, 1) == "\"") {
            at = index(substr(line, 2), "\"")
            if (!at || substr(line, at + 2, 1) !~ /^ ?$/) {
                flaw = "a quote does not end"
                return 0
            }
            word = substr(line, 2, at - 1)
            line = substr(line, at + 2)
        } else {
            at = index(line " ", " ")
            word = substr(line, 1, at - 1)
            line = substr(line, at)
        }
        if (word !~ rule_form[key] || key == "risk" && !are_risks(word)) {
            flaw = key "=" substr(word, 1, 40) " is not valid"
            return 0
        }
        if (!((rule, key) in rule_value)) said_keys[rule] = said_keys[rule] " " key
        rule_value[rule, key] = word
        sub(/^ +/, "", line)
    }
    if (!((rule, "messages") in rule_value) || said_keys[rule] ~ /^( messages| project)+$/) return 1
    flaw = "only project= may be beside messages="
    return 0
}

function are_risks(word,    part, n, i) {
    n = split(word, part, ",")
    for (i = 1; i <= n; i++) if (!(part[i] in rank)) return 0
    return n > 0
}

# Sets the form of each key's values.
function approvals_forms() {
    rule_form["tool"] = "^[^,]+(,[^,]+)*$"
    rule_form["project"] = "^[^,]+(,[^,]+)*$"
    rule_form["risk"] = "^[a-z,]+$"
    rule_form["who"] = "^(off|notify|answer)$"
    rule_form["hold"] = "^[0-9][0-9]?[0-9]?[0-9]?[0-9]?$"
    rule_form["after"] = "^(ask|deny)$"
    rule_form["always"] = "^(yes|no)$"
    rule_form["change_input"] = "^(yes|no)$"
    rule_form["devices"] = "^[A-Za-z0-9_.:,-]+$"
    rule_form["messages"] = "^(on|off)$"
    rule_form["quiet"] = "^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$"
}

# The first rule for this tool, project and rank; 0 if none matches.
function rule_for(tool, project, risk,    i) {
    for (i = 1; i <= rules; i++) {
        if ((i, "messages") in rule_value) continue
        if ((i, "tool") in rule_value && !any_like(tool, rule_value[i, "tool"])) continue
        if ((i, "risk") in rule_value && !any_like(risk_name[risk], rule_value[i, "risk"])) continue
        if ((i, "project") in rule_value && !any_project(project, rule_value[i, "project"])) continue
        return i
    }
    return 0
}

# The first rule for messages to sessions of this project; 0 if there is none.
function message_rule(project,    i) {
    for (i = 1; i <= rules; i++) {
        if (!((i, "messages") in rule_value)) continue
        if (!((i, "project") in rule_value) || any_project(project, rule_value[i, "project"])) return i
    }
    return 0
}

# Whether devices may send messages to a session, on or off. A file that is not valid allows none.
function messages_of(rule) { return flaw != "" || rule && rule_value[rule, "messages"] == "off" ? "off" : "on" }

function any_like(subject, patterns,    part, n, i) {
    n = split(patterns, part, ",")
    for (i = 1; i <= n; i++) if (like(subject, part[i])) return 1
    return 0
}

# True if the project is the directory of a pattern, or below it.
function any_project(project, patterns,    part, n, i) {
    n = split(patterns, part, ",")
    for (i = 1; i <= n; i++) {
        # sub() would give & and \ in HOME a special meaning.
        if (substr(part[i], 1, 1) == "~") part[i] = ENVIRON["HOME"] substr(part[i], 2)
        sub(/\/+$/, "", part[i])
        if (like(project, part[i]) || like(project, part[i] "/*")) return 1
    }
    return 0
}

# Sets said[key] for each key, from the rule or by default.
function settle(rule, default_hold,    quiet, n, i, key, part) {
    said["who"] = "answer"
    said["hold"] = default_hold
    said["after"] = "ask"
    said["always"] = "no"
    said["change_input"] = "no"
    said["devices"] = ""
    said["quiet"] = ""
    if (flaw != "") {
        said["who"] = "notify"
        return
    }
    n = split("who hold after always change_input devices", part, " ")
    for (i = 1; i <= n; i++) if ((rule, part[i]) in rule_value) said[part[i]] = rule_value[rule, part[i]]
    said["hold"] = said["hold"] + 0 > 3600 ? 3600 : said["hold"] + 0
    if (!((rule, "quiet") in rule_value)) return
    split(rule_value[rule, "quiet"], part, "-")
    quiet = part[1] <= part[2] ? (ENVIRON["NOW"] >= part[1] && ENVIRON["NOW"] < part[2]) \
        : (ENVIRON["NOW"] >= part[1] || ENVIRON["NOW"] < part[2])
    if (!quiet) return
    said["who"] = "off"
    said["after"] = "ask"
    said["quiet"] = "now"
}

# Sets permits[key]: the changes of permissions that an answer under the rule may contain. Some changes let calls of other tools
# and risks run without a question. Therefore the rules for all of these calls must let the same devices answer. Overwrites the
# result of settle(), so call it before settle().
function permit(rule) {
    # In the mode acceptEdits Claude Code edits files of the project, including secrets, and runs rm, rmdir, mv, cp, touch, mkdir
    # and sed.
    permits["edits"] = answers_for(rule, "Edit Write MultiEdit NotebookEdit", "edit credentials", 0) && \
        answers_for(rule, "Bash", "edit delete credentials", 0)
    # In an additional directory Claude Code reads without a question, and edits in the mode acceptEdits.
    permits["directories"] = permits["edits"] && answers_for(rule, "Read Grep Glob Bash", "read credentials", 0)
    # A pattern that a person writes can match any call of the tool.
    permits["any rule"] = answers_for(rule, tool, "read edit execute network delete credentials publish", 1)
}

# True if, for each of the tools at each of the risks, the rule that applies lets every device answer that the rule `own` lets
# answer. With `always`, that rule must also allow permanent permissions.
function answers_for(own, tools, risks, always,    tool_part, risk_part, n, m, i, j, devices) {
    devices = (own, "devices") in rule_value ? rule_value[own, "devices"] : ""
    n = split(tools, tool_part, " ")
    m = split(risks, risk_part, " ")
    for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) {
        settle(rule_for(tool_part[i], project, rank[risk_part[j]]), 3600)
        if (said["who"] != "answer" || !said["hold"] || always && said["always"] != "yes") return 0
        if (said["devices"] != "" && said["devices"] != devices) return 0
    }
    return 1
}

# The result of settle() and permit() as the words of the envelope.
function settled_words(risk) {
    return "who=" said["who"] " hold=" said["hold"] " after=" said["after"] " always=" said["always"] \
        " change_input=" said["change_input"] " risk=" risk_name[risk] \
        (said["devices"] == "" ? "" : " devices=" said["devices"]) (said["quiet"] == "" ? "" : " quiet=now") \
        " edits=" yes(permits["edits"]) " directories=" yes(permits["directories"]) \
        " rules=" (said["always"] != "yes" ? "exact" : permits["any rule"] ? "any" : "suggested")
}

# The file as JSON, for people to read on the page. A file that is not valid has no rules. `cut` says that rules are missing, because
# the rules take at most 30,000 bytes. With ASCII in the environment, other characters are question marks.
function rules_json(    out, rule, n, i, key, entry, length_left) {
    out = "{\"exists\":" (ENVIRON["APPROVALS"] == "" ? "false" : "true")
    if (flaw != "") return out ",\"flaw\":" json_string(flaw) ",\"rules\":[]}"
    out = out ",\"rules\":["
    length_left = 30000
    for (rule = 1; rule <= rules; rule++) {
        n = split(said_keys[rule], key, " ")
        entry = ""
        for (i = 1; i <= n; i++)
            entry = entry (i > 1 ? "," : "") json_string(key[i]) ":" json_string(rule_value[rule, key[i]])
        entry = "{\"line\":" rule_line[rule] ",\"words\":{" entry "}}"
        length_left -= length(entry) + 1
        if (length_left < 0) return out "],\"cut\":true}"
        out = out (rule > 1 ? "," : "") entry
    }
    return out "]}"
}

function json_string(text) {
    gsub(control(), " ", text)
    if (ENVIRON["ASCII"] != "") gsub(/[^ -~]/, "?", text)
    return "\"" replaced(replaced(text, "\\", "\\\\"), "\"", "\\\"") "\""
}

# gsub() would give \ and & in the replacement a special meaning.
function replaced(text, character, with,    out, at) {
    out = ""
    while (at = index(text, character)) {
        out = out substr(text, 1, at - 1) with
        text = substr(text, at + 1)
    }
    return out text
}

function yes(truth) { return truth ? "yes" : "no" }
