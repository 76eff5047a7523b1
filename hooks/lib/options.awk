# Parses the options of programs by the `options` rows of risk.tsv, for commands.awk.

# The `options` row of the subcommand, or else of the program; "" if there is none.
function options_row(program, subcommand,    row) {
    if (subcommand != "" && rows_of("options", program " " subcommand " :", row)) return row[1]
    return row_of("options", program " :")
}

# Parses a row. Sets option_form[option] to the mark after the option, or to - if it has none; option_rule has the words that are
# not options.
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
        if (index(":=>!&?%;~^", mark)) text = substr(text, 1, length(text) - 1)
        else mark = "-"
        if (text ~ /^--/ || "+" in option_rule) option_form[text] = mark
        else for (k = 2; k <= length(text); k++) option_form["-" substr(text, k, 1)] = mark
    }
}

# Parses the words after the program by the row, into lists in got: word, the indices of the arguments; file, the values that are
# files to write; glob, the values that are patterns of files; command, the values that are commands; run, the ranges "from to" of
# words that are a command; group, the indices of options after one hyphen; value, the indices of values that look like options.
# Also sets unknown, an option that is not in the row; idle, whether an option makes the program run nothing; and home, whether
# the risk of the row applies only inside the project. In a prefix, the first argument begins the command.
function options_read(words, first, count, row, is_prefix, got,    i, n, idle) {
    options_load(row)
    split("", got)
    got["word"] = got["file"] = got["glob"] = got["command"] = got["run"] = got["group"] = got["value"] = 0
    got["unknown"] = ""; got["idle"] = got["plain"] = 0; got["home"] = "@" in option_rule
    options_words(words, first, count, is_prefix, got)
    n = got["group"]
    if (got["plain"]) for (i = 1; i <= n; i++) take(got, "word", got["group", i])
    # Versions of a program differ in which options take the next word. So a value that looks like an option counts as one, too.
    idle = got["idle"]
    rereading = 1
    for (i = 1; i <= got["value"]; i++) option_word(words, got["value", i], count, got)
    rereading = 0
    got["idle"] = idle
    if (!("&" in option_rule)) return
    n = got["word"]
    for (i = 1; i <= n; i++) take_commands(got, unmarked(words[got["word", i]]))
    # The command may consist of the words after one of the first arguments.
    for (i = 1; i <= n && i <= 4; i++) take(got, "command", text_of(words, got["word", i] + 1, count))
}

function text_of(words, from, to,    text) {
    text = ""
    for (; from <= to; from++) text = text " " unmarked(words[from])
    return text
}

function options_words(words, first, count, is_prefix, got,    i, text, ended) {
    ended = 0
    for (i = first + 1; i <= count; i++) {
        text = unmarked(words[i])
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
        else i = option_word(words, i, count, got)
    }
}

# Parses the option at i. Returns the index of the last word that it used.
function option_word(words, i, count, got,    word, text, n) {
    word = words[i]
    text = unmarked(word)
    if (index(word, U) || is_pattern(word)) {
        got["unknown"] = text
        return i
    }
    if ("+" in option_rule) return option_taken(text, "", 0, words, i, count, got)
    n = index(text, "=")
    if (text ~ /^--/ && n) return option_taken(substr(text, 1, n - 1), substr(text, n + 1), 1, words, i, count, got)
    if (text ~ /^--/) return option_taken(text, "", 0, words, i, count, got)
    return text ~ /^-[0-9]+$/ && "-#" in option_form ? i : options_cluster(text, words, i, count, got)
}

# True if a value looks like an option, and not like a number or a single hyphen.
function is_optional(word) { return unmarked(word) ~ ("+" in option_rule ? "^-[A-Za-z][A-Za-z0-9]*$" : "^(-[^0-9.-]|--.)") }

function take(got, what, item) { got[what, ++got[what]] = item }

# Takes the text if it consists of several words, and what it contains after each of its first separators.
function take_commands(got, text,    n) {
    if (text ~ /[ \t\n]/) take(got, "command", text)
    for (n = 0; n < 4 && match(text, /[=:! \t\n"']+/); n++) {
        text = substr(text, RSTART + RLENGTH)
        take(got, "command", text)
    }
}

# Parses the letters after one hyphen. Returns the index of the last word that it used.
function options_cluster(text, words, i, count, got,    k, name, rest) {
    take(got, "group", i)
    for (k = 2; k <= length(text); k++) {
        name = "-" substr(text, k, 1)
        if (name in option_form && index(":=>!&%?", option_form[name])) {
            rest = substr(text, k + 1)
            if ("," in option_rule && rest !~ /^[0-9]*$/) got["unknown"] = name
            return option_taken(name, rest, rest != "", words, i, count, got)
        }
        option_taken(name, "", 1, words, i, count, got)
    }
    return i
}

# Records an option with its value, which may be the next word. Returns the index of the last word that it used.
function option_taken(name, rest, has_value, words, i, count, got,    form) {
    if (!(name in option_form)) {
        if (!("any" in option_rule)) got["unknown"] = name
        return i
    }
    form = option_form[name]
    if (form == "~") got["idle"] = 1
    if (form == "^") got["plain"] = 1
    if (form == ";" && rereading) got["unknown"] = name
    else if (form == ";") {
        # The words up to ; or {} + are a command.
        rest = i + 1
        while (i < count && words[i + 1] != ";" && (words[i + 1] != "+" || unmarked(words[i]) != "{}")) i++
        take(got, "run", rest " " i)
    }
    if (index("-~^?;", form)) return i
    rest = has_value ? quoted(rest) : i < count ? words[++i] : ""
    if (!has_value && form != "=" && is_optional(rest) && !((i, "seen") in got)) {
        got[i, "seen"] = 1
        take(got, "value", i)
    }
    if (form == ">") take(got, "file", rest)
    if (form == "!") take(got, "command", unmarked(rest))
    if (form == "&") take_commands(got, unmarked(rest))
    if (form == "%") take(got, "glob", unmarked(rest))
    return i
}
