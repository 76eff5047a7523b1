# Determines the risk of a shell command from its simple commands, for risk.awk. Each function returns the risk that it gets as an
# argument, or a higher one.

function command_risk(command, depth, risk,    token, n, i, shells, before) {
    bytes_judged += length(command)
    if (length(command) > 32768 || bytes_judged > 262144 || depth > 3) return raised(risk, highest, "a command too long to be judged")
    n = shell(command, token)
    shells = shells_seen
    before = directories
    risk = tokens_risk(token, n, depth, raised(risk, rank["read"], "a command that reads"))
    # In a loop or a function, a `cd` can change the directory of the commands before it. Judge all again in each directory found.
    if (directories > before) {
        settled++
        risk = tokens_risk(token, n, depth, risk)
        settled--
    }
    if (shells_seen > shells)
        for (i = 1; i <= n; i++) if (token[i] ~ /^h/) risk = command_risk(substr(token[i], 2), depth + 1, risk)
    return risk
}

function tokens_risk(token, n, depth, risk,    i, letter, words, count) {
    count = 0
    for (i = 1; i <= n && risk < highest; i++) {
        letter = substr(token[i], 1, 1)
        if (letter == "w") words[++count] = substr(token[i], 2)
        if (letter == "x") risk = raised(risk, rank["execute"], substr(token[i], 2))
        if (letter == "!") risk = raised(risk, highest, "commands that cannot be judged")
        if (letter == "<") risk = subscript_risk(substr(token[i], 2), depth, word_risk(substr(token[i], 2), risk))
        if (letter == ">") risk = write_risk(substr(token[i], 2), risk)
        if (letter != ";") continue
        risk = simple_risk(words, count, depth, risk)
        count = 0
    }
    return risk
}

function write_risk(path, risk) {
    if (path ~ /^\/dev\/(null|stdout|stderr|tty)$/) return risk
    if (!is_inside(path)) risk = raised(risk, rank["execute"], "a command that writes outside the project")
    return path_risk(path, 1, raised(risk, rank["edit"], "a command that writes to a file"))
}

# Judges each path that a word may contain: the whole word, the part after the letters of an option, and the parts between = : @
# and , .
function word_risk(word, risk,    part, n, i) {
    risk = path_risk(word, 0, risk)
    if (word ~ /^-/ && match(word, "[./~]")) risk = path_risk(substr(word, RSTART), 0, risk)
    if (word !~ /[=:@,]/) return risk
    n = split(word, part, "[=:@,]")
    for (i = 1; i <= n; i++) {
        sub(Q "$", "", part[i])
        if (part[i] != "") risk = path_risk(part[i], 0, risk)
    }
    return risk
}

# Judges a simple command, also as if each of its expansions were empty: $x rm a can be rm a. A word with a slash stays as it is.
function simple_risk(words, count, depth, risk,    i, n, word, rest) {
    if (depth > 3) return raised(risk, highest, "commands too deep to be judged")
    n = 0
    for (i = 1; i <= count && risk < highest; i++) {
        word = words[i]
        risk = word_risk(word, risk)
        if (!index(word, "/") && gsub(U, "", word)) {
            if (word == "") continue
            risk = word_risk(word, risk)
        }
        rest[++n] = word
        if (word != words[i]) rest["differs"] = 1
    }
    if (n && (n < count || "differs" in rest)) {
        settled++
        risk = run_risk(rest, n, depth, risk)
        settled--
    }
    return run_risk(words, count, depth, risk)
}

function run_risk(words, count, depth, risk,    first, row, program, got) {
    first = 1
    while (first <= count && words[first] ~ /^[A-Za-z_][A-Za-z0-9_]*([[].*[]])?[+]?=/) {
        risk = subscript_risk(words[first], depth, raised(risk, rank["execute"], "an assignment before a command"))
        first++
    }
    for (; first <= count; first = got["word", 1]) {
        while (first < count && words[first] ~ "^" U "+$") {
            risk = raised(risk, rank["execute"], "a program that only the shell knows")
            first++
        }
        program = program_of(unmarked(words[first]))
        row = row_of("prefix", program)
        if (row == "") break
        risk = raised(risk, row_risk(row), "a command " in_words(row))
        options_read(words, first, count, options_row(program, ""), 1, got)
        risk = values_risk(got, words, depth, risk)
        if (got["idle"] || got["command"] && !got["word"]) return risk
        # Without a command, some programs print data, for example all variables.
        if (!got["word"]) return raised(risk, row_risk(row_of("alone", program)), "a command that runs nothing: " program)
    }
    if (first > count) return risk
    if (is_pattern(words[first]))
        return matching_risk(words, first, count, depth, raised(risk, rank["execute"], "a program that a pattern names"))
    if (program ~ /\// && program == unmarked(words[first])) risk = raised(risk, rank["execute"], "a program of its own")
    sub(/^.*\//, "", program)
    if (program == "cd" || program == "pushd") move(words, first, count)
    row = row_of("runs", program)
    if (row == "") return program_risk(program, words, first, count, depth, risk)
    shells_seen++
    risk = raised(risk, row_risk(row), "a command " in_words(row))
    return arguments_risk(program, words, first, count, depth, risk)
}

# Judges the command with each program of the table that the pattern can match by at least one of its letters.
function matching_risk(words, first, count, depth, risk,    part, n, i, copy, k, name, seen) {
    paths_judged += 128
    if (paths_judged > 4096) return raised(risk, highest, "a command with too many words to be judged")
    n = split(words[first], part, "/")
    name = tolower(part[n])
    n = split(section["prefix"] section["runs"] section["command"], part, "[\t\n]+")
    for (i = 4; i <= n && risk < highest; i += 3) {
        sub(/ .*/, "", part[i])
        if (part[i] in seen || meets(name, part[i]) < 2) continue
        seen[part[i]] = 1
        for (k = first; k <= count; k++) copy[k - first + 1] = words[k]
        copy[1] = part[i]
        risk = run_risk(copy, count - first + 1, depth, risk)
    }
    return risk
}

# Judges the files that the options write, the patterns that they read and the commands that they run.
function values_risk(got, words, depth, risk,    i, k, place, part, count) {
    for (i = 1; i <= got["file"]; i++) risk = write_risk(got["file", i], risk)
    for (i = 1; i <= got["glob"] && risk < highest; i++) risk = glob_risk(got["glob", i], "", risk)
    for (i = 1; i <= got["command"] && risk < highest; i++) risk = command_risk(got["command", i], depth + 1, risk)
    for (i = 1; i <= got["run"] && risk < highest; i++) {
        risk = raised(risk, rank["execute"], "an option that runs a command")
        split(got["run", i], place, " ")
        count = 0
        for (k = place[1] + 0; k <= place[2] + 0; k++) part[++count] = words[k]
        risk = simple_risk(part, count, depth + 1, risk)
    }
    return risk
}

# Returns the name of a program in one of the system's directories, and any other word unchanged.
function program_of(word,    name) {
    if (!index(word, "/")) return word
    name = word
    sub(/^\/(bin|sbin|usr\/bin|usr\/sbin|usr\/local\/bin|opt\/homebrew\/bin)\//, "", name)
    return index(name, "/") ? word : name
}

# Adds the directories to which `cd` may lead. Keeps the earlier ones, because `cd` may fail, and has no effect after its subshell
# ends.
function move(words, first, count,    i, n, target, arguments) {
    arguments = 0
    target = "~"
    for (i = first + 1; i <= count; i++) {
        if (words[i] ~ /^-./) continue
        target = words[i]
        arguments++
    }
    if (arguments > 1 || target == "-") target = U
    n = directories
    for (i = 1; i <= n; i++) add_directory(plain_path(directory_of[i], target))
    if (!settled) latest = latest_path(target)
}

function add_directory(path,    i) {
    if (settled) return
    if (directories >= 16) path = U
    for (i = 1; i <= directories; i++) if (directory_of[i] == path) return
    directory_of[++directories] = path
}

# Judges the command that a program runs: all of its arguments, the arguments after the first (a host, a user), or a single
# argument.
function arguments_risk(program, words, first, count, depth, risk,    i, whole, rest, got) {
    options_read(words, first, count, options_row(program, ""), 0, got)
    whole = ""; rest = ""
    for (i = 1; i <= got["word"]; i++) {
        whole = whole " " unmarked(words[got["word", i]])
        if (i > 1) rest = rest " " unmarked(words[got["word", i]])
    }
    if (whole != "") take(got, "command", whole)
    if (rest != "") take(got, "command", rest)
    for (i = first + 1; i <= count; i++) if (words[i] ~ /[ \t\n]/ && words[i] !~ /^-/) take(got, "command", unmarked(words[i]))
    return values_risk(got, words, depth, risk)
}

function program_risk(program, words, first, count, depth, risk,    n, i, list, found, row, options, got) {
    options = options_row(program, first < count ? unmarked(words[first + 1]) : "")
    options_read(words, first, count, options, 0, got)
    n = rows_of("command", program, list)
    found = 0; row = ""
    for (i = 1; i <= n; i++) {
        if (row_risk(list[i]) <= found || !row_matches(list[i], words, first, count, got)) continue
        row = list[i]
        found = row_risk(row)
    }
    if (row == "") risk = raised(risk, rank["execute"], "a command that is in no row: " program)
    else risk = raised(risk, found, "a command " in_words(row))
    if (options != "") risk = options_risk(got, words, found == rank["edit"], depth, risk)
    else if (found <= rank["edit"]) risk = raised(risk, rank["execute"], "a command without a row of its options: " program)
    n = rows_of("text", program, list)
    for (i = 1; i <= n; i++) risk = text_risk(list[i], words, first, count, risk)
    if (row_of("evaluates", program) != "") risk = evaluated_risk(words, first, count, depth, risk)
    n = rows_of("searches", program, list)
    for (i = 1; i <= n; i++) risk = search_risk(list[i], words, first, count, got, risk)
    return risk
}

# The risk of a command by its options and arguments. `edits`: the row of the command has the risk edit.
function options_risk(got, words, edits, depth, risk,    i) {
    if (got["unknown"] != "") risk = raised(risk, rank["execute"], "an option that is not in the table: " got["unknown"])
    risk = values_risk(got, words, depth, risk)
    if (got["home"]) {
        if (!is_inside(".")) risk = raised(risk, rank["execute"], "a command that reads a repository outside the project")
        for (i = 1; i <= got["word"] && risk < highest; i++) risk = pathspec_risk(words[got["word", i]], risk)
    }
    if (!edits) return risk
    for (i = 1; i <= got["word"]; i++) {
        risk = path_risk(words[got["word", i]], 1, risk)
        if (!is_inside(words[got["word", i]])) risk = raised(risk, rank["execute"], "a command that writes outside the project")
    }
    return risk
}

function evaluated_risk(words, first, count, depth, risk,    i) {
    for (i = first + 1; i <= count && risk < highest; i++) risk = subscript_risk(words[i], depth, risk)
    return risk
}

# A shell evaluates a subscript as a number: in a[$(b)], also in quotes, it runs b.
function subscript_risk(word, depth, risk) {
    word = unmarked(word)
    word = index(word, "[") ? substr(word, index(word, "[")) : ""
    return match(word, /[$][(]|`/) ? command_risk(": " substr(word, RSTART), depth + 1, risk) : risk
}

# Git resolves patterns also in quotes, and words such as :(top)a, :/a and :!a.
function pathspec_risk(word, risk,    text, magic) {
    text = unmarked(word)
    magic = ""
    if (match(text, /^:([(][^)]*[)]|[\/!^]*:?)/)) {
        magic = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
    } else if (text == word && !index(text, "\\")) return risk
    if (magic ~ /[!^]|exclude/ || text ~ /(^|[*\/])[*][.]json$/) return risk
    risk = glob_risk(text, "", risk)
    return match(text, /[*][^*]*$/) ? glob_risk(substr(text, RSTART), "", risk) : risk
}

# A `searches` row contains a program, 1 if its first argument is a text for which it searches, and the word without which it
# reads no directories.
function search_risk(row, words, first, count, got, risk,    part, n, i, text, applies, skipped) {
    n = split(row_pattern(row), part, " ")
    skipped = n > 1 && part[2] == "1" ? 1 : 0
    applies = n == 1 + skipped
    for (i = first + 1; i <= count; i++) {
        text = unmarked(words[i])
        if (!applies && like(text, part[n])) applies = 1
        # The text may be the value of an option: -e or -f, also in a group of letters, --regexp or --file.
        if (text ~ /^-([^-]*[ef]|-(re|f))/) skipped = 0
    }
    if (!applies) return risk
    for (i = skipped + 1; i <= got["word"] && risk < highest; i++) risk = searched_risk(words[got["word", i]], risk)
    return got["word"] <= skipped ? searched_risk(".", risk) : risk
}

function row_matches(row, words, first, count, got,    part, n, k, i, next_word) {
    n = split(row_pattern(row), part, " ")
    next_word = 1
    for (k = 2; k <= n; k++) {
        if (substr(part[k], 1, 1) == "-") {
            for (i = first + 1; i <= count; i++) if (like(unmarked(words[i]), part[k])) break
            if (i > count) return 0
        } else if (row_risk(row) <= rank["edit"]) {
            if (first + k - 1 > count || !like(unmarked(words[first + k - 1]), part[k])) return 0
        } else {
            while (next_word <= got["word"] && !like(unmarked(words[got["word", next_word]]), part[k])) next_word++
            if (next_word++ > got["word"]) return 0
        }
    }
    return 1
}

# A `text` row contains a program and a name. Its risk applies if an argument of the program contains the name, not preceded by a
# dot.
function text_risk(row, words, first, count, risk,    part, i) {
    split(row_pattern(row), part, " ")
    for (i = first + 1; i <= count; i++)
        if (words[i] ~ "(^|[^A-Za-z0-9_.])" part[2] "([^A-Za-z0-9_]|$)") return raised(risk, row_risk(row), "a text " in_words(row))
    return risk
}
