# The options of programs, by the `options` rows of risk.tsv, for commands.awk.

# The row of the program's options, or of those of its subcommand; "" if there is none.
function options_row(program, subcommand,    row) {
    if (subcommand != "" && rows_of("options", program " " subcommand " :", row)) return row[1]
    return row_of("options", program " :")
}

# Reads a row: option_form[option] is the mark that the row has behind the option, or - if it has none.
function options_load(row,    part, n, i, k, mark, text) {
    split("", option_form)
    split("", option_rule)
    n = split(substr(row, index(row, " :") + 3), part, " ")
    for (i = 1; i <= n; i++) {
        text = part[i]
        if (text !~ /^-./) {
            option_rule[text] = 1
            continue
        }
        mark = substr(text, length(text))
        if (index(":>!?%;~", mark)) text = substr(text, 1, length(text) - 1)
        else mark = "-"
        if (text ~ /^--/ || "+" in option_rule) option_form[text] = mark
        else for (k = 2; k <= length(text); k++) option_form["-" substr(text, k, 1)] = mark
    }
}

# Reads the words behind the program by the row, into lists in got: the places of the arguments (word); values that are files written to
# (file), patterns of files (glob) and commands (command); places "from to" of words that are a command (run). Also: an option
# that is not in the row (unknown), one with which nothing runs (idle), and whether the program is judged in the project only (home).
# In a prefix the first argument begins the command.
function options_read(words, first, count, row, is_prefix, got,    i, word, text, ended) {
    options_load(row)
    split("", got)
    got["word"] = got["file"] = got["glob"] = got["command"] = got["run"] = 0
    got["unknown"] = ""; got["idle"] = 0; got["home"] = "@" in option_rule
    ended = 0
    for (i = first + 1; i <= count; i++) {
        word = words[i]
        text = unmarked(word)
        if (ended || text !~ /^-./) {
            if (is_prefix && (text == "-" || "=" in option_rule && text ~ /^[A-Za-z_][A-Za-z0-9_]*=/)) continue
            if ("1" in option_rule) {
                delete option_rule["1"]
                continue
            }
            take(got, "word", i)
            if (is_prefix) return
            if ("." in option_rule) ended = 1
        } else if (text == "--" && !("+" in option_rule)) ended = 1
        else if (index(word, U) || is_pattern(word)) got["unknown"] = text
        else if ("+" in option_rule) i = option_taken(text, "", 0, words, i, count, got)
        else if (text ~ /^--/ && index(text, "=")) i = option_taken(substr(text, 1, index(text, "=") - 1), substr(text, index(text, "=") + 1), 1, words, i, count, got)
        else if (text ~ /^--/) i = option_taken(text, "", 0, words, i, count, got)
        else if (text !~ /^-[0-9]+$/ || !("-#" in option_form)) i = options_cluster(text, words, i, count, got)
    }
}

function take(got, what, item) { got[what, ++got[what]] = item }

# Letters behind one hyphen. Returns the place of the last word that was taken.
function options_cluster(text, words, i, count, got,    k, name, rest) {
    for (k = 2; k <= length(text); k++) {
        name = "-" substr(text, k, 1)
        if (name in option_form && index(":>!%?", option_form[name])) {
            rest = substr(text, k + 1)
            return option_taken(name, rest, rest != "", words, i, count, got)
        }
        option_taken(name, "", 1, words, i, count, got)
    }
    return i
}

# Takes an option with its value, which may be the next word. Returns the place of the last word that was taken.
function option_taken(name, rest, has_value, words, i, count, got,    form) {
    if (!(name in option_form)) {
        if (!("any" in option_rule)) got["unknown"] = name
        return i
    }
    form = option_form[name]
    if (form == "~") got["idle"] = 1
    if (form == ";") {
        # The words up to ; or + are a command.
        rest = i + 1
        while (i < count && unmarked(words[i + 1]) !~ /^[;+]$/) i++
        take(got, "run", rest " " i)
    }
    if (index("-~?;", form)) return i
    rest = has_value ? quoted(rest) : i < count ? words[++i] : ""
    if (form == ">") take(got, "file", rest)
    if (form == "!") take(got, "command", unmarked(rest))
    if (form == "%") take(got, "glob", unmarked(rest))
    return i
}
