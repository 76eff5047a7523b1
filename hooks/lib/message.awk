# Reads the server's answer to a poll for messages. Runs with json.awk and values.awk, with LC_ALL=C.
#
# Standard input: the answer. Standard output: a line "message ID" or "interrupt ID"; for a message, a second line has its text as
# a JSON string with the escapes that Claude Code uses. Exit: 0, or 1 if the answer is neither.

BEGIN { RS = "\n"; text = "" }
{ lines[NR] = $0 }
END {
    text = joined(lines, NR)
    most_nodes = 100
    parse()
    found = member(1, "message")
    kind_of = "message"
    if (!found) {
        found = member(1, "interrupt")
        kind_of = "interrupt"
    }
    id = plain(member(found, "id"))
    if (id !~ /^[A-Za-z0-9_-]+$/ || length(id) > 100) refuse("no message")
    if (kind_of == "message" && (!member(found, "text") || kind[member(found, "text")] != "s")) refuse("a message without a text")
    print kind_of " " id
    if (kind_of == "message") print as_string(plain(member(found, "text")))
}

function refuse(why) {
    failed = 1
    exit 1
}

# A JSON string as JSON.stringify writes it.
function as_string(words,    i, c, short) {
    gsub(/\\/, "\\\\&", words)
    gsub(/"/, "\\\\&", words)
    if (words ~ control()) {
        short = "       btn fr"
        for (i = 1; i < 32; i++) {
            c = i >= 8 && i <= 13 ? substr(short, i, 1) : " "
            words = replaced(words, sprintf("%c", i), c == " " ? sprintf("\\u%04x", i) : "\\" c)
        }
    }
    return "\"" words "\""
}

function replaced(words, what, with,    part, n, i, out) {
    if (!index(words, what)) return words
    # The brackets are necessary: with a single character as separator, some awks also split at line feeds.
    n = split(words, part, "[" what "]")
    out = part[1]
    for (i = 2; i <= n; i++) out = out with part[i]
    return out
}
