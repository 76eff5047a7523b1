# Which calls have a permission rule that matches them alone. Rules are patterns: the rule of a call that could be read as one, or
# that Claude Code changes before it compares, would match others. Tests/hooks/exact-cases.tsv holds cases that the server and the
# web app judge alike.

# The command of this call of Bash, or empty if no rule matches it alone.
function exact_command(    command) {
    command = plain(member(input, "command"))
    return is_plain(command) && command !~ /[ \t]$/ && command !~ /^[ \t]/ ? command : ""
}

# The path of the file of this call, or empty if no rule matches it alone. Claude Code has one kind of rule for all tools that
# change a file. A path is compared as in .gitignore: one that ends in a slash names all below it, and a blank at the end vanishes.
function exact_path(    path) {
    if (tool !~ /^(Read|Edit|Write|MultiEdit|NotebookEdit)$/) return ""
    path = plain(member(input, tool == "NotebookEdit" ? "notebook_path" : "file_path"))
    if (!is_plain(path) || path !~ /^\// || path ~ /[?!{}\\]/ || index(path, "[") || index(path, "]")) return ""
    if (path ~ /[\/ ]$/ || index(path, "//") || index(path "/", "/./") || index(path "/", "/../")) return ""
    return path
}

function is_plain(words) {
    return words != "" && length(words) <= 4096 && !index(words, "*") && words !~ /:$/ && words !~ control() && !index(words, "\177")
}
