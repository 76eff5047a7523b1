# Decides which calls have an exact permission rule, one that matches no other call. Rules are patterns. If the text of a call has
# a meaning in a pattern, or if Claude Code changes the text before it compares, its rule would match other calls, too. The server
# and the web app have the same functions; Tests/hooks/exact-cases.tsv has the common test cases.

# The command of this call of Bash, or empty if no rule matches only this call.
function exact_command(    command) {
    command = plain_whole(member(input, "command"))
    return is_plain(command) && command !~ /[ \t]$/ && command !~ /^[ \t]/ ? command : ""
}

# The path of the file of this call, or empty if no rule matches only this file. Claude Code has one kind of rule for all tools
# that change a file. It compares paths as .gitignore does: a path that ends in a slash matches everything below it, and a space
# at the end is ignored.
function exact_path(    path) {
    if (tool !~ /^(Read|Edit|Write|MultiEdit|NotebookEdit)$/) return ""
    path = plain_whole(member(input, tool == "NotebookEdit" ? "notebook_path" : "file_path"))
    if (!is_plain(path) || path !~ /^\// || path ~ /[?!{}\\]/ || index(path, "[") || index(path, "]")) return ""
    if (path ~ /[\/ ]$/ || index(path, "//") || index(path "/", "/./") || index(path "/", "/../")) return ""
    return path
}

# The decoded bytes of a string, or empty if plain() cannot decode some of them.
function plain_whole(n,    words) {
    unwritten = 0
    words = plain(n)
    return unwritten ? "" : words
}

function is_plain(words) {
    return words != "" && length(words) <= 4096 && !index(words, "*") && words !~ /:$/ && words !~ control() && !index(words, "\177")
}
