# Reads arithmetic for shell.awk, and what begins like it: $((a); b) and ((a); b) are commands.

# Reads $(( from the first parenthesis on. bash counts parentheses to find the end, and then tells arithmetic from commands by the
# normal form of the text. If that form is not known, both are read. The commands must fill the text, because bash can end it
# where the commands go on.
function double_parentheses(    from, stop, before, old_documents, old_read, kind) {
    from = at; before = tokens; old_documents = documents; old_read = documents_read
    at++
    kind = within_parentheses()
    stop = at
    if (kind != "arithmetic" && !unread) {
        if (kind != "either") tokens = before
        documents = old_documents; documents_read = old_read
        at = from + 1
        substitution()
        if (kind == "either" && documents - documents_read > old_documents - old_read) leave_unread()
        if (kind != "" && at != stop) leave_unread()
    }
    parentheses--
}

# Reads (( )) and returns true, or returns false if it is not arithmetic.
function arithmetic_command(    from, before, old_documents, old_read, kind, next_c) {
    from = at; before = tokens; old_documents = documents; old_read = documents_read
    at = ahead(at + 1) + 1
    opaque("arithmetic")
    kind = within_parentheses()
    next_c = substr(source_text, at, 1)
    # Text is read in another way than lines: after a line end, bash drops a word of the next line. After a continued line, (( is
    # arithmetic in some texts only.
    if (kind != "" && (next_c == "\n" || next_c == "\\" && substr(source_text, ahead(at), 1) == ")")) leave_unread()
    if (kind != "" && next_c == ")") at++
    if (kind != "" && next_c == ")" || unread) return 1
    tokens = before; documents = old_documents; documents_read = old_read
    at = from
    return 0
}

# Reads arithmetic up to the closing parenthesis. What is nested deeper than four times is not read, because the time doubles with
# each time.
function within_parentheses() {
    if (++parentheses > 4) leave_unread()
    return balanced("(", ")")
}

# Reads a text in which only quotes and substitutions have a meaning, up to the character that closes it. Returns "" if there is
# none; else what the text is after $(, with the opening parenthesis that begins it: arithmetic, commands or either.
function balanced(opener, closer,    depth, inner, before, is_unclear, part, c) {
    depth = 1; inner = 0; is_unclear = 0
    descend()
    while (at <= size) {
        part = substr(source_text, at, 256)
        if (!match(part, /[][()"'`$\\#]/)) {
            at += length(part)
            continue
        }
        at += RSTART - 1
        c = substr(part, RSTART, 1)
        if (c == opener) depth++
        if (c == closer) {
            if (--depth == 1 && !inner) inner = at
            if (!depth) break
        }
        before = rewritten
        # Where bash expands the text, a comment can begin here.
        if (c == "#" && substr(source_text, at - 1, 1) ~ /^[ \t\n]$/) is_unclear = 1
        if (c != "$" || following(at) ~ /^['(]$/) step(c, 1)
        else at = following(at) == "$" ? ahead(at + 1) + 1 : at + 1
        if (rewritten > before) is_unclear = 1
    }
    levels--
    if (at > size) return ""
    c = is_unclear ? "either" : ahead(inner + 1) == at ? "arithmetic" : "commands"
    at++
    return c
}
