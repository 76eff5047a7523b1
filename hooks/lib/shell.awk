# Parses a shell command as bash does, as far as its text allows. A token is a letter and a text:
#   w  a word                          ;  the end of a simple command
#   >  a file that is written to       <  a file that is read
#   h  text that a program reads       x  a construct that only the shell can resolve
#   !  the rest was not read
# Words and files are marked text, with two marks: Q precedes a quoted character that would otherwise have a meaning in a word
# (*?[]{},); U represents text that only the shell knows. The commands of a substitution precede the command that contains it.
# Sources/Risks/ShellReader.swift does the same. Runs with words.awk, quotes.awk, arithmetic.awk
# and values.awk.

# Fills token[1...] and returns their number.
function shell(command, token,    i) {
    Q = "\001"; U = "\002"
    tokens = 0; frame = 0; levels = 0; substitutions = 0; parentheses = 0; backquoted = 0; documents = 0; documents_read = 0; unread = 0
    # The number of parts so far that bash writes with other parentheses than they have.
    rewritten = 0
    if (gsub("[\001-\003]", "?", command)) opaque("a control character")
    source_text = command; size = length(command); at = 1
    commands("")
    for (i = 1; i <= tokens; i++) token[i] = all_tokens[i]
    return tokens
}

function add_token(what) { all_tokens[++tokens] = what }

# Enters a nested level. Their number is limited, because the stack is small in some awks.
function descend() {
    if (++levels > 40) leave_unread()
}

function leave_unread() {
    add_token("!")
    unread = 1
    at = size + 1
}

function opaque(why) { add_token("xa command with " why) }

# Reads commands up to the character `closer` or the end of the text. A frame contains the simple command that is being read.
function commands(closer,    c, next_c) {
    frame++
    descend()
    cases[frame] = 0; naming[frame] = 0; piped[frame] = 0; testing[frame] = 0; waiting[frame] = 0
    clear_command()
    while (at <= size) {
        c = substr(source_text, at, 1)
        next_c = c == "\\" ? "" : following(at)
        if (c == " " || c == "\t") at++
        else if (ahead(at) > at) at = ahead(at)
        else if (c == "#") skip_comment()
        else if (next_c == "(" && (c == "<" || c == ">")) take_word()
        else if (testing[frame] && index("\n;&|()<>", c)) at++
        else if (c == ")" && closer == c && !cases[frame]) break
        else if (c == "&" && next_c == ">" || c == "<" || c == ">") redirection()
        else if (index("\n;&|)", c)) separator(c)
        else if (c == "(") group()
        else take_word()
    }
    end_command()
    frame--
    levels--
}

function skip_comment(    part) {
    if (backquoted) rewritten++
    while (at <= size) {
        part = substr(source_text, at, 256)
        if (match(part, /\n/)) {
            at += RSTART - 1
            return
        }
        at += length(part)
    }
}

function clear_command() { leads[frame] = 1; opener[frame] = ""; counted[frame] = clobbers[frame] = 0 }

function end_command(    i) {
    for (i = 1; i <= waiting[frame]; i++) add_token("w" pending[frame, i])
    if (waiting[frame]) add_token(";")
    waiting[frame] = 0
    clear_command()
}

function separator(c) {
    # A line may end before the `in` of a `case`.
    if (c != "\n" || opener[frame] != "case" || counted[frame] != 2) end_command()
    # In a `case`, the text after ;; or ;& up to the next ) is a pattern.
    if (c == ";" || c == "&") naming[frame] = cases[frame] && (naming[frame] || c == ";" && following(at) ~ /^[;&]$/)
    if (c == ")") naming[frame] = 0
    # After | and |&, `time` is a program.
    if (c == "|") piped[frame] = !piped[frame]
    else if (c != "&" && c != "\n") piped[frame] = 0
    at++
    if (c == "\n") here_documents()
}

# Reads from an opening parenthesis: arithmetic, a subshell, or the parentheses after a function's name or in a pattern.
function group(    is_double) {
    piped[frame] = 0
    is_double = (leads[frame] || opener[frame] == "for") && following(at) == "("
    if (is_double && arithmetic_command()) {
        parentheses--
        if (opener[frame] == "for") end_command()
        return
    }
    if (waiting[frame] && !leads[frame]) opaque("a function or a pattern")
    end_command()
    at++
    nested()
    parentheses -= is_double
    naming[frame] = 0
}

# Reads commands and the parenthesis that closes them.
function nested() {
    commands(")")
    if (at > size) opaque("a parenthesis that does not end")
    at++
}

# Reads the commands of a substitution and the parenthesis that closes them.
function substitution() {
    substitutions++
    nested()
    substitutions--
}

function take_word(    word, ends_test) {
    word = read_word()
    if (substr(source_text, at, 1) ~ /^[<>]$/ && following(at) != "(" && is_descriptor(word)) return
    ends_test = testing[frame] && bare && word == "]]"
    if (ends_test) testing[frame] = 0
    else if (!testing[frame]) reserve(word)
    piped[frame] = 0
    counted[frame]++
    if (clobbers[frame]) add_files(word, ">")
    clobbers[frame] = 0
    add_word(word)
    # A reserved word may follow ]].
    if (ends_test) end_command()
}

# True if a word directly before a redirection operator names the file descriptor: digits, or a variable in braces, to which the
# shell assigns the number.
function is_descriptor(word) {
    if (bare && word ~ /^[0-9]+$/) return 1
    if (word !~ /^[{][A-Za-z_][A-Za-z0-9_]*([[].+[]])?[}]$/ || !bare && !index(word, "[")) return 0
    opaque("a variable")
    add_token("<" word)
    return 1
}

# Records what a reserved word means for the words after it.
function reserve(word,    is_opener) {
    if (!bare || !(index(" if then else elif fi while until do done ! { } time case esac [[ for select function coproc ", " " word " "))) {
        # A reserved word may follow the options of `time`.
        leads[frame] = bare && leads[frame] && (opener[frame] " " word) ~ /^(time (-p|--)|-p --)$/
        if (leads[frame]) opener[frame] = word
        return
    }
    is_opener = index(" { if while until for case select [[ ", " " word " ")
    if (opener[frame] ~ /^(function|coproc)$/ && is_opener && counted[frame] <= 2) end_command()
    if (opener[frame] ~ /^(for|select)$/ && word ~ /^(do|[{])$/ && counted[frame] == 2) end_command()
    if (word == "esac" && (leads[frame] || opener[frame] == "case" && counted[frame] == 3)) {
        if (!leads[frame]) end_command()
        if (cases[frame]) cases[frame]--
        naming[frame] = 0
        return
    }
    if (!leads[frame] || naming[frame] || piped[frame] && word == "time") {
        leads[frame] = 0
        return
    }
    if (word == "case") {
        rewritten++
        cases[frame]++
        naming[frame] = 1
    }
    # In zsh, `time` has no options, so [[ is a word after them.
    testing[frame] = word == "[[" && opener[frame] !~ /^-/
    leads[frame] = !index(" case [[ for select function coproc ", " " word " ")
    opener[frame] = word
    counted[frame] = 0
}

# Reads a redirection: the operator and the file name after it.
function redirection(    rest, n, operator, word, i, stop) {
    rest = ""
    i = at
    for (n = 1; n <= 3; n++) {
        rest = rest substr(source_text, i, 1)
        stop[n] = i
        i = ahead(i + 1)
    }
    match(rest, /^(&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>[|]|[<>])/)
    operator = substr(rest, 1, RLENGTH)
    at = ahead(stop[RLENGTH] + 1)
    while (substr(source_text, at, 1) ~ /^[ \t]$/) at = ahead(at + 1)
    leads[frame] = 0
    rest = substr(source_text, at, 1)
    if (rest == "" || index("\n;&|()", rest) || rest ~ /^[<>]$/ && following(at) != "(") {
        opaque("a redirection without a file")
        return
    }
    if (operator ~ /&$/ && rest == "-") {
        # The operator ends after the hyphen. In zsh, the hyphen and the characters after it name a file.
        if (following(at++) ~ /^[^ \t\n;&|)<>]/) opaque("a file descriptor that is closed")
        return
    }
    word = read_word()
    if (operator == "<<" || operator == "<<-") {
        opaque("a here-document")
        rewritten++
        # The end of the document would be the text of the expansion.
        if (index(word, U)) leave_unread()
        document_end[++documents] = unmarked(word)
        document_form[documents] = (operator == "<<-" ? "tabs" : "") (bare ? "" : " quoted")
    } else if (operator == "<<<") {
        opaque("a here-string")
        add_token("h" unmarked(word))
    } else if (operator ~ /^<&?$/) {
        if (operator == "<" || word !~ /^[0-9]*-?$/) add_files(word, "<")
    } else if (operator != ">&" || word !~ /^[0-9]*-?$/) {
        add_files(word, ">")
        # In zsh, the file name follows >!.
        if (word ~ /^!./) add_files(substr(word, 2), ">")
        clobbers[frame] = word == "!"
    }
}

# Reads the here-documents whose operators are on the line that ended.
function here_documents(    i, last) {
    i = documents_read
    last = documents
    documents_read = documents
    while (i++ < last) here_document(document_end[i], document_form[i])
}

function here_document(end, form,    line, rest, body) {
    body = ""
    while (1) {
        if (at > size) {
            opaque("a here-document that does not end")
            break
        }
        line = read_line()
        if (form !~ /quoted/) while (at <= size && line ~ /(^|[^\\])(\\\\)*\\$/) line = substr(line, 1, length(line) - 1) read_line()
        if (line == end) break
        if (form ~ /tabs/) sub(/^\t+/, "", line)
        if (line == end) break
        # In a substitution, bash ends the document also where a parenthesis follows its end in the line.
        if (substitutions && substr(line, 1, length(end)) == end && index(rest = substr(line, length(end) + 1), ")")) {
            opaque("a here-document that ends before a parenthesis")
            at -= length(rest) + (substr(source_text, at - 1, 1) == "\n")
            break
        }
        body = body line "\n"
    }
    add_token("h" body)
    # bash runs the substitutions in the text.
    if (form !~ /quoted/) separately(body, 0)
}

function read_line(    line, part) {
    line = ""
    while (at <= size) {
        part = substr(source_text, at, 256)
        if (match(part, /\n/)) {
            at += RSTART
            return line substr(part, 1, RSTART - 1)
        }
        line = line part
        at += length(part)
    }
    return line
}
