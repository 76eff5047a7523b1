# Cuts a shell command into tokens, as far as its text tells. A token is a letter and its text:
#   w  a word, without its quotes      ;  the end of a simple command
#   >  a file that is written to       <  a file that is read
#   x  why the text alone does not tell what runs
# Fills token[1...] and returns their number.

function tokens(command, token,    n, i, c, next_c, quote, level, closer, outer) {
    token_count = 0; level = 0
    word = ""; has_word = 0; globbed = 0; target = "w"; quote = ""
    n = length(command)
    for (i = 1; i <= n; i++) {
        c = substr(command, i, 1)
        next_c = substr(command, i + 1, 1)
        if (quote == "'") {
            if (c == "'") quote = ""
            else word = word c
        } else if (c == "\\") {
            i++
            if (next_c != "\n") add_to_word(next_c)
        } else if (c == "\"") {
            quote = quote == "" ? c : ""
            has_word = 1
        } else if (level && quote == "" && c == closer[level]) {
            end_command(token)
            quote = outer[level--]
            has_word = quote != ""
        } else if (c == "`" || c == "$" && next_c == "(" || c == "(" && quote == "") {
            if (c != "(") add_token(token, "xa command in a command")
            end_command(token)
            if (c == "$") i++
            # What is inside has quotes of its own; at its end those outside hold again.
            closer[++level] = c == "`" ? c : ")"
            outer[level] = quote
            quote = ""
        } else if (c == "$") {
            add_token(token, "xa variable")
            add_to_word(c)
        } else if (quote != "") {
            word = word c
        } else if (c == "'") {
            quote = c
            has_word = 1
        } else if (c == " " || c == "\t" || c == "\r") {
            end_word(token)
        } else if (c == "#" && !has_word) {
            while (i < n && substr(command, i + 1, 1) != "\n") i++
        } else if (c == "<" || c == ">" || c == "&" && next_c == ">") {
            i = redirection(command, token, i)
        } else if (index(";|&)\n", c)) {
            end_command(token)
        } else {
            if (index("*?[{", c)) globbed = 1
            add_to_word(c)
        }
    }
    if (quote != "") add_token(token, "xa quote that does not end")
    end_command(token)
    return token_count
}

function add_token(token, what) { token[++token_count] = what }

function add_to_word(c) {
    word = word c
    has_word = 1
}

function end_word(token) {
    if (has_word) {
        if (globbed && (substr(word, 1, 1) == "." || index(word, "/."))) add_token(token, "xa pattern of hidden files")
        if (target != "") add_token(token, target word)
        target = "w"
    }
    word = ""; has_word = 0; globbed = 0
}

function end_command(token) {
    end_word(token)
    target = "w"
    add_token(token, ";")
}

# Reads the operator at i; returns the place of its last character.
function redirection(command, token, i,    c, rest) {
    # The digits before an operator are a descriptor.
    if (word !~ /^[0-9]+$/) end_word(token)
    word = ""; has_word = 0; globbed = 0
    rest = substr(command, i, 4)
    if (rest ~ /^[<>]\(/) {
        add_token(token, "xa command in place of a file")
        return i
    }
    if (rest ~ /^<</) {
        add_token(token, "xa here-document")
        target = ""
        return i + (rest ~ /^<<[<-]/ ? 2 : 1)
    }
    if (match(rest, /^[<>]&([0-9]|-)/)) return i + RLENGTH - 1
    target = rest ~ /^<[^>]/ || rest == "<" ? "<" : ">"
    match(rest, /^(&>>|&>|>>|>[|]|>&|<>|<&|[<>])/)
    return i + RLENGTH - 1
}
