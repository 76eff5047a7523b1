# Parses and judges shell commands, for the tests that compare this parser with the server's (Tests/RiskReader). Runs with the
# files of the risk, with LC_ALL=C.
#
# Environment: RISKS  risk.tsv
# Standard input: a command on each line, with \n, \r, \t and \\ as escapes. Standard output: a line for each command with its risk
# and its tokens, with the same escapes.

BEGIN {
    if (!risks_load(ENVIRON["RISKS"])) refuse("the risk table cannot be read")
    root = "/home/u/p"
}

{
    command = decoded($0)
    call_begin()
    out = risk_name[command_risk(command, 0, 0)]
    n = shell(command, token)
    for (i = 1; i <= n; i++) {
        letter = substr(token[i], 1, 1)
        out = out "\t" letter (index("x;!", letter) ? "" : encoded(substr(token[i], 2)))
    }
    print out
}

function refuse(why) {
    print why > "/dev/stderr"
    exit 1
}

function decoded(line,    part, n, i, c, out) {
    n = split(line, part, "[\\\\]")
    out = part[1]
    for (i = 2; i <= n; i++) {
        c = substr(part[i], 1, 1)
        if (part[i] == "") out = out "\\" part[++i]
        else out = out (c == "n" ? "\n" : c == "r" ? "\r" : "\t") substr(part[i], 2)
    }
    return out
}

function encoded(text,    i, c, out) {
    out = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        out = out (c == "\n" ? "\\n" : c == "\r" ? "\\r" : c == "\t" ? "\\t" : c == "\\" ? "\\\\" : c)
    }
    return out
}
