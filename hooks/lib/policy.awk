# Finds the rule of the approvals file that applies to a prompt. Runs with the other files for prompts, with LC_ALL=C.
#
# Standard input: the hook's JSON.
# Environment: MODE       words: prints the rule for the envelope, whether Claude Code shows a dialog during the hold, and the
#                         file for which an exact rule may be added; explain: prints what would happen, and why; messages:
#                         prints whether devices may send messages to the session, on or off; rules: prints the approvals file
#                         as JSON, and ignores the input
#              ASCII      not empty: rules prints no other characters
#              RISKS      the path of risk.tsv
#              APPROVALS  the path of the approvals file; empty: there is none
#              UNREADABLE not empty: the approvals file exists but cannot be read
#              PROJECT    the project's directory; empty: the hook's cwd
#              HEADLESS   not empty: the session has no terminal
#              NOW        the time of day, HH:MM
#              HOME
# Exit: 0, or 1 if the input or the risk table cannot be read; the reason is then on standard error.

BEGIN { RS = "\n"; text = "" }
{ lines[NR] = $0 }
END {
    if (!risks_load(ENVIRON["RISKS"])) refuse("the risk table cannot be read: " ENVIRON["RISKS"])
    approvals_forms()
    rules = 0; flaw = ""
    if (ENVIRON["UNREADABLE"] != "") flaw = "it cannot be read"
    else if (ENVIRON["APPROVALS"] != "") approvals_load(ENVIRON["APPROVALS"])
    if (ENVIRON["MODE"] == "rules") {
        print rules_json()
        exit 0
    }
    text = joined(lines, NR)
    parse()
    if (kind[1] != "{") refuse("the input is not an object")
    talk = message_rule(ENVIRON["PROJECT"] != "" ? ENVIRON["PROJECT"] : plain(member(1, "cwd")))
    if (ENVIRON["MODE"] == "messages") {
        print messages_of(talk)
        exit 0
    }
    tool = tool_of(1)
    input = member(1, "tool_input")
    project = ENVIRON["PROJECT"] != "" ? ENVIRON["PROJECT"] : plain(member(1, "cwd"))
    risk = call_risk(1, project)
    rule = flaw == "" ? rule_for(tool, project, risk) : 0
    permit(rule)
    settle(rule, default_hold())
    if (ENVIRON["MODE"] == "explain") explain()
    else print settled_words(risk) "\n" (default_hold() == 3600 ? "yes" : "no") "\n" exact_path()
}

function refuse(why) {
    printf "%s\n", why > "/dev/stderr"
    exit 1
}

# The seconds of a hold if no rule says. Prompts without a dialog are held for 15 s; a session without a terminal holds none.
function default_hold(    agent) {
    if (ENVIRON["HEADLESS"] != "") return 0
    agent = member(1, "agent_id")
    return agent && plain(agent) != "" || plain(member(1, "hook_event_name")) == "Elicitation" ? 15 : 3600
}

function explain(    name) {
    name = ENVIRON["APPROVALS"]
    print "tool:     " shown(tool)
    print "project:  " shown(project)
    print "risk:     " risk_name[risk] " (" shown(because) ")"
    if (flaw != "") print "rule:     none, " shown(name) " is not valid: " shown(flaw)
    else if (name == "") print "rule:     none, there is no approvals file; the defaults apply"
    else if (!rule) print "rule:     none in " shown(name) " matches; the defaults apply"
    else print "rule:     " shown(name) " line " rule_line[rule] ": " shown(rule_text[rule])
    print "settled:  " settled_words(risk)
    print "outcome:  " outcome()
    if (flaw != "") print "messages: off"
    else print "messages: " messages_of(talk) (talk ? ", " shown(name) " line " rule_line[talk] : ", by default")
}

function outcome(    text_now, after) {
    after = said["after"] == "deny" ? "the call is denied" : ENVIRON["HEADLESS"] != "" ? "Claude Code denies the call, because nobody is at a terminal" \
        : "Claude Code goes on asking at the terminal"
    if (said["quiet"] != "") return "quiet hours: no device is notified; " after "."
    if (said["who"] == "off") return "no device is notified; " after "."
    if (said["who"] == "notify") return "devices are notified and cannot answer; " after "."
    if (said["hold"] == 0) return "no time to answer is given; " after "."
    text_now = "a device may answer within " said["hold"] " seconds" device_words(said["devices"])
    text_now = text_now ", with" (said["change_input"] == "yes" ? "" : "out") " a change of the input, and "
    text_now = text_now (said["always"] == "yes" ? "may allow it for ever" : "not for ever")
    if (!permits["edits"]) text_now = text_now ", and may not accept edits"
    if (said["always"] == "yes" && !permits["any rule"]) text_now = text_now ", by the rules that Claude Code suggests"
    return text_now "; without an answer " after "."
}

# The words for `devices=`, which lists ids of devices and `operator`, the holder of the admin token. The server does not compare
# names, because devices choose their own names.
function device_words(list,    count, part, i, names) {
    if (list == "") return ""
    count = split(list, part, ",")
    for (i = 1; i <= count; i++) if (part[i] != "operator" && part[i] !~ /^[0-9]+$/) names = names (names == "" ? "" : ", ") part[i]
    if (names != "") names = "; no device has the id " names ", and names do not count"
    return " (" list " only" names ")"
}

# The text with ? in place of control characters, and at most 300 characters.
function shown(words) {
    words = words ""
    gsub(control(), "?", words)
    gsub(/\177/, "?", words)
    return length(words) > 300 ? substr(words, 1, 300) "..." : words
}
