# Functions for marked words (shell.awk): words of a command, tokens from words, brace expansion, normalized paths, and comparison
# of patterns with rows.

# Reads the word at `at`. Sets `bare` if the word has neither quotes nor expansions.
function read_word(    word, part, c, is_bare, from) {
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
            from = at
            word = word expansion(c, 0)
            # Neither a line end that is removed nor a dollar that begins nothing is a quote.
            if (substr(part, 1, 2) != "\\\n" && (c != "$" || at > from + 1)) is_bare = 0
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
    substitution()
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

function add_word(word,    list, n, i) {
    n = braces(word, list)
    for (i = 1; i <= n; i++) pending[frame, ++waiting[frame]] = list[i]
}

function add_files(word, letter,    list, n, i) {
    n = braces(word, list)
    for (i = 1; i <= n; i++) add_token(letter list[i])
}

# Expands the braces of a word into list[1...] and returns the number of words. If there are more than 64, list[1] is the word
# itself. Sets uncertain if there are more than 64, or if a shell other than bash can expand them differently.
function braces(word, list,    copy, made, kept, i) {
    list[1] = word
    uncertain = 0
    if (!index(word, "{")) return 1
    copy = word
    made = gsub(/[{]/, "", copy) <= 32 ? expanded(word, list, 0) : 65
    if (made > 64) uncertain = 1
    if (uncertain) opaque("words in braces that are too many or not known")
    if (made > 64) {
        list[1] = word
        return 1
    }
    for (i = 1; i <= made; i++) if (list[i] != "") list[++kept] = list[i]
    return kept + 0
}

# Expands the braces of a word and appends the words, also empty ones, to the n words of the list. Returns the new number, which
# is greater than 64 if there are too many.
function expanded(word, list, n,    i, c, end, part, parts, before, after) {
    for (i = 1; i <= length(word); i++) {
        c = substr(word, i, 1)
        if (c == Q) i++
        if (c != "{") continue
        parts = brace_parts(word, i, part)
        if (!parts) continue
        end = brace_end
        before = substr(word, 1, i - 1)
        after = substr(word, end + 1)
        if (parts == 1) {
            # A sequence generates neither a slash nor a dot, so * stands for it. In zsh, it can consist of any characters.
            if (part[1] !~ /^([-+]?[0-9]+[.][.][-+]?[0-9]+|[A-Za-z][.][.][A-Za-z])([.][.][-+]?[0-9]+)?$/) {
                if (part[1] !~ "^[^" Q U "][.][.][^" Q U "]([.][.][-+]?[0-9]+)?$") continue
                uncertain = 1
            }
            return expanded(before "*" after, list, n)
        }
        for (i = 1; i <= parts && n <= 64; i++) n = expanded(before part[i] after, list, n)
        return n
    }
    list[++n] = word
    return n
}

# Splits the text between the brace at i and its closing brace into part[1...], and sets brace_end to the closing brace. Returns
# the number of parts; 0 if there is no closing brace.
function brace_parts(word, i, part,    c, n, depth, from) {
    n = 0; depth = 1
    from = i + 1
    for (i = from; i <= length(word); i++) {
        c = substr(word, i, 1)
        if (c == Q) i++
        else if (c == "{") depth++
        else if (c == "}") depth--
        if (c == "," && depth == 1 || !depth) {
            part[++n] = substr(word, from, i - from)
            from = i + 1
        }
        if (!depth) {
            brace_end = i
            return n
        }
    }
    return 0
}

# True if the shell replaces the word with the names of matching files.
function is_pattern(word) {
    if (word !~ /[*?[]/) return 0
    if (index(word, Q)) gsub(Q ".", "", word)
    return word ~ /[*?]/ || index(word, "[") && index(substr(word, index(word, "[")), "]")
}

# Returns the path without empty, . and .. components, joined to the directory if it is relative. If .. leads above the known
# directories, the first component is U.
function plain_path(directory, path,    part, n, i, kept, depth, is_absolute, out) {
    if (path !~ "^[/~]" && substr(path, 1, 1) != U && directory != "") path = directory "/" path
    if (path !~ /\/\/|\/[.]|^[.]|\/$/) return path
    is_absolute = substr(path, 1, 1) == "/"
    n = split(path, part, "/")
    depth = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == "" || part[i] == ".") continue
        if (part[i] != "..") kept[++depth] = part[i]
        else if (depth && !(depth == 1 && !is_absolute && index("~" U, substr(kept[1], 1, 1)))) depth--
        else if (!is_absolute) {
            kept[1] = U
            depth = 1
        }
    }
    out = is_absolute ? "/" : ""
    for (i = 1; i <= depth; i++) out = out (i > 1 ? "/" : "") kept[i]
    return out
}

# Compares a component of a path, as a pattern, with a component of a row. Returns 0 if they cannot match, 1 if they match only by
# the wildcards of the path, 2 if they match also by some of its letters.
function meets(word, row,    n, m, i, j, c, d, state, found, end) {
    n = length(word); m = length(row)
    if (n > 256) return 2
    c = substr(word, 1, 1); d = substr(row, 1, 1)
    # In a shell, a leading wildcard does not match a dot. In other programs it does, but a pattern such as *.c is not aimed at
    # .env.c.
    if (d == "." && index("*?[", c) && !(dotted && (c != "*" || substr(row, m, 1) != "*"))) return 0
    if (c == Q) c = substr(word, 2, 1)
    if (d != "*" && c != d && (substr(word, 1, 1) == Q || !index("*?[" U, c))) return 0
    c = substr(word, n, 1); d = substr(row, m, 1)
    if (d != "*" && c != d && (substr(word, n - 1, 1) == Q || !index("*?]" U, c))) return 0
    for (j = 0; j <= m; j++) state[j] = 0
    state[0] = 1
    pass_stars(state, row, m)
    for (i = 1; i <= n; i++) {
        c = substr(word, i, 1)
        if (c == "*" || c == U) {
            for (j = 0; j < m; j++) if (state[j] > state[j + 1]) state[j + 1] = state[j]
            continue
        }
        end = 0
        if (c == Q) c = substr(word, ++i, 1)
        else if (c == "?") end = -1
        else if (c == "[") end = class_end(word, i)
        for (j = m; j >= 0; j--) {
            found = state[j] && substr(row, j + 1, 1) == "*" ? state[j] : 0
            d = j ? substr(row, j, 1) : "*"
            if (d != "*" && state[j - 1]) found = higher(found, matched(state[j - 1], d, c, end > 0 ? substr(word, i + 1, end - i - 1) : "", end))
            state[j] = found
        }
        pass_stars(state, row, m)
        if (end > 0) i = end
    }
    return state[m]
}

function higher(a, b) { return a > b ? a : b }

function pass_stars(state, row, m,    j) {
    for (j = 0; j < m; j++) if (substr(row, j + 1, 1) == "*" && state[j] > state[j + 1]) state[j + 1] = state[j]
}

# The next state after `state`, when the letter d of a row is compared with the letter c, a class of letters (end > 0) or any
# letter (end < 0).
function matched(state, d, c, class, end) {
    if (end < 0) return state
    if (!end) return c == d ? 2 : 0
    if (class ~ /^[!^]|-|[[]/) return state
    return index(class, d) ? 2 : 0
}

# The index of the ] of the class that begins at i; 0 if no class begins there.
function class_end(word, i,    c, n, end) {
    i++
    if (index("!^", substr(word, i, 1)) && i <= length(word)) i++
    if (substr(word, i, 1) == "]") i++
    for (n = length(word); i <= n; i++) {
        c = substr(word, i, 1)
        if (c == "]") return i
        if (c == Q) i++
        if (c == "[" && substr(word, i + 1, 1) ~ /^[:.=]$/ && (end = index(substr(word, i + 2), substr(word, i + 1, 1) "]"))) i += end + 2
    }
    return 0
}
