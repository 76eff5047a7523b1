# Parses a shell command as bash does, as far as its text allows. A token is a letter and a text:
#   w  a word                          ;  the end of a simple command
#   >  a file that is written to       <  a file that is read
#   h  text that a program reads       x  a construct that only the shell can resolve
#   !  the rest was not read
# Words and files are marked text, with two marks: Q precedes a quoted character that would otherwise have a meaning in a word
# (*?[]{},); U represents text that only the shell knows. The commands of a substitution precede the command that contains it.
# Sources/Risks/ShellReader.swift does the same. Runs with words.awk, quotes.awk and values.awk.

# Fills token[1...] and returns their number.
function shell(command, token,    i) {
    Q = "\001"; U = "\002"
    tokens = 0; frame = 0; levels = 0; documents = 0; documents_read = 0
    if (gsub("[\001-\003]", "?", command)) opaque("a control character")
    source_text = command; size = length(command); at = 1
    commands("")
    for (i = 1; i <= tokens; i++) token[i] = all_tokens[i]
    return tokens
}

function add_token(what) { all_tokens[++tokens] = what }

# Enters a nested level. Their number is limited, because the stack is small in some awks.
function descend() {
    if (++levels <= 40) return
    add_token("!")
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
    end_command()
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
function group(    stop) {
    piped[frame] = 0
    stop = leads[frame] || opener[frame] == "for" ? arithmetic_end() : 0
    if (stop) {
        opaque("arithmetic")
        arithmetic(stop)
        return
    }
    if (waiting[frame] && !leads[frame]) opaque("a function or a pattern")
    end_command()
    at++
    nested()
    naming[frame] = 0
}

# Reads commands and the parenthesis that closes them.
function nested() {
    commands(")")
    if (at > size) opaque("a parenthesis that does not end")
    at++
}

function take_word(    word) {
    word = read_word()
    # Digits before a redirection operator are a file descriptor.
    if (bare && word ~ /^[0-9]+$/ && substr(source_text, at, 1) ~ /^[<>]$/ && following(at) != "(") return
    if (testing[frame]) testing[frame] = !(bare && word == "]]")
    else reserve(word)
    piped[frame] = 0
    counted[frame]++
    if (clobbers[frame]) add_files(word, ">")
    clobbers[frame] = 0
    add_word(word)
}

# Records what a reserved word means for the words after it.
function reserve(word,    is_opener) {
    if (!bare || !(index(" if then else elif fi while until do done ! { } time case esac [[ for select function coproc ", " " word " "))) {
        leads[frame] = 0
        return
    }
    is_opener = index(" { if while until for case select [[ ", " " word " ")
    if (opener[frame] ~ /^(function|coproc)$/ && is_opener && counted[frame] <= 2) end_command()
    if (opener[frame] ~ /^(for|select)$/ && word == "do" && counted[frame] == 2) end_command()
    if (word == "esac" && (leads[frame] || opener[frame] == "case" && counted[frame] == 3)) {
        if (cases[frame]) cases[frame]--
        naming[frame] = 0
        return
    }
    if (!leads[frame] || naming[frame] || piped[frame] && word == "time") {
        leads[frame] = 0
        return
    }
    if (word == "case") {
        cases[frame]++
        naming[frame] = 1
    }
    testing[frame] = word == "[["
    if (index(" case [[ for select function coproc ", " " word " ")) {
        leads[frame] = 0
        opener[frame] = word
        counted[frame] = 0
    }
}

# Reads the word at `at`. Sets `bare` if the word has neither quotes nor expansions.
function read_word(    word, part, c, is_bare) {
    word = ""; is_bare = 1
    while (at <= size) {
        part = substr(source_text, at, 64)
        if (match(part, "^[A-Za-z0-9_./:=@%+~^!-]+")) {
            word = word substr(part, 1, RLENGTH)
            at += RLENGTH
            continue
        }
        c = substr(part, 1, 1)
        if (index(" \t\n;&|)", c) || (c == "<" || c == ">") && following(at) != "(") break
        if (c == "(" && word !~ /^[A-Za-z_][A-Za-z0-9_]*([[].*[]])?[+]?=$/) break
        if (index("'\"\\$`<>(", c)) {
            if (substr(part, 1, 2) != "\\\n") is_bare = 0
            word = word expansion(c, 0)
        } else {
            word = word c
            at++
        }
    }
    bare = is_bare
    return word
}

# Reads the quote or substitution that begins with the character c outside quotes. Returns marked text.
function expansion(c,    next_c) {
    if (c == "'") return single()
    if (c == "$") return dollar(0)
    if (c == "`") return backquotes(0)
    at++
    if (c == "\"") return double()
    if (c == "\\") {
        next_c = substr(source_text, at++, 1)
        return next_c == "" ? "\\" : next_c == "\n" ? "" : quoted(next_c)
    }
    if (c == "(") {
        array()
        return U
    }
    opaque("a command in place of a file")
    at = ahead(at) + 1
    nested()
    return U
}

# Reads the words of an array. They are no commands, but may be file names.
function array(    c, from) {
    descend()
    while (at <= size) {
        c = substr(source_text, at, 1)
        if (c == ")") {
            at++
            levels--
            return
        }
        from = at
        if (c == "#") skip_comment()
        else if (index(" \t\n", c)) at++
        else add_token("<" read_word())
        if (at == from) at++
    }
    levels--
    opaque("an array that does not end")
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
    word = read_word()
    if (operator == "<<" || operator == "<<-") {
        opaque("a here-document")
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

function here_document(end, form,    line, body, old_text, old_size, old_at) {
    body = ""
    while (1) {
        if (at > size) {
            opaque("a here-document that does not end")
            break
        }
        line = read_line()
        if (form ~ /tabs/) sub(/^\t+/, "", line)
        if (form !~ /quoted/) while (at <= size && line ~ /(^|[^\\])(\\\\)*\\$/) line = substr(line, 1, length(line) - 1) read_line()
        if (line == end) break
        body = body line "\n"
    }
    add_token("h" body)
    if (form ~ /quoted/) return
    # bash runs the substitutions in the text.
    old_text = source_text; old_size = size; old_at = at
    source_text = body; size = length(body); at = 1
    expand_text()
    source_text = old_text; size = old_size; at = old_at
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
