# Determines the risk of a tool call by the rows of risk.tsv, whose header describes the rules. Runs with json.awk, values.awk,
# shell.awk, quotes.awk, arithmetic.awk, words.awk, commands.awk and options.awk.

# Reads the table. Sets section[place] to the rows of a place, with a line end before and after each row. False if it cannot be
# read.
function risks_load(path,    n, i, text, read, place) {
    n = split("read edit execute network delete credentials publish", risk_name, " ")
    for (i = 1; i <= n; i++) rank[risk_name[i]] = i
    highest = n
    RS = ""
    while ((read = (getline text < path)) > 0) {
        if (text ~ /^#/) continue
        split(text, place, "\t")
        if (!(place[1] in rank)) break
        section[place[2]] = "\n" text "\n"
    }
    RS = "\n"
    close(path)
    return read == 0 && "tool" in section && "command" in section && "options" in section
}

# Sets row[1...] to the rows of the place whose pattern is the program, alone or followed by further words. Returns their number.
function rows_of(place, program, row,    n, rest, at_row, key, before) {
    n = 0
    if (program ~ /[\t\n]/) return 0
    key = "\t" place "\t" program
    rest = section[place]
    while (at_row = index(rest, key)) {
        # The key is preceded by the risk and followed by the rest of the pattern.
        before = substr(rest, at_row > 12 ? at_row - 12 : 1, at_row > 12 ? 12 : at_row - 1)
        rest = substr(rest, at_row + length(key))
        if (rest !~ /^[ \n]/) continue
        sub(/^(.|\n)*\n/, "", before)
        row[++n] = before key substr(rest, 1, index(rest, "\n") - 1)
    }
    return n
}

# The only row of the place for the program, or "".
function row_of(place, program,    row) { return rows_of(place, program, row) ? row[1] : "" }

function row_risk(row) { return row == "" ? 0 : rank[substr(row, 1, index(row, "\t") - 1)] }

function row_pattern(row) { return substr(row, index(row, "\t") + length(row_place(row)) + 2) }

function row_place(row) {
    row = substr(row, index(row, "\t") + 1)
    return substr(row, 1, index(row, "\t") - 1)
}

function in_words(row) {
    gsub(/\t/, " ", row)
    return "in the row \"" row "\""
}

# The rank of a hook's tool call. Sets because, the reason.
function call_risk(data, project,    tool, input, i, risk, command) {
    call_begin()
    tool = tool_of(data)
    input = member(data, "tool_input")
    root = plain_path("", project)
    command = member(input, "command")
    i = first_row("shell", tool)
    if (i != "") {
        if (!command || kind[command] != "s") return raised(0, row_risk(i), "a command that cannot be read")
        risk = command_risk(plain(command), 0)
        i = member(input, "dangerouslyDisableSandbox")
        if (i && !(kind[i] == "p" && value[i] ~ /^(false|null)$/)) risk = raised(risk, rank["execute"], "a command outside the sandbox")
        return risk
    }
    i = first_row("tool", tool)
    risk = i != "" ? raised(0, row_risk(i), tool " " in_words(i)) : raised(0, rank["execute"], tool " is in no row")
    return paths_risk(input, tool, risk)
}

function call_begin() {
    Q = "\001"; U = "\002"
    because = ""
    directories = 1; directory_of[1] = ""; latest = ""; dotted = 0
    paths_judged = 0
    bytes_judged = 0
}

function tool_of(data,    tool) {
    tool = plain(member(data, "tool_name"))
    return tool == "" && plain(member(data, "hook_event_name")) == "Elicitation" ? "Elicitation" : tool
}

# The first row of the place whose pattern the name matches, or "".
function first_row(place, name,    n, i, row) {
    n = split(section[place], row, "\n")
    for (i = 2; i < n; i++) if (like(name, row_pattern(row[i]))) return row[i]
    return ""
}

function paths_risk(input, tool, risk,    n, i, path, part, edits, place) {
    place = ""
    edits = risk == rank["edit"]
    n = split("file_path notebook_path path", part, " ")
    for (i = 1; i <= n; i++) {
        path = member(input, part[i])
        if (!path || kind[path] != "s") continue
        path = quoted(without_marks(plain(path)))
        if (edits && !is_inside(path)) risk = raised(risk, rank["execute"], "an edit outside the project")
        risk = path_risk(path, edits, risk)
        if (row_of("searches", tool) != "") risk = searched_risk(path, risk)
        place = path "/"
    }
    # The file patterns of Grep and Glob. They apply below the path.
    n = split(tool == "Glob" ? "glob pattern" : "glob", part, " ")
    for (i = 1; i <= n; i++) {
        path = member(input, part[i])
        if (!path || kind[path] != "s") continue
        path = without_marks(plain(path))
        sub(/^!/, "", path)
        risk = glob_risk(path, place, risk)
    }
    return risk
}

# Judges the patterns of files that the text contains, between white space and commas. A backslash quotes a character there, and a
# wildcard matches a dot. `place` is the path of the directory with a slash, or "".
function glob_risk(text, place, risk,    made, part, n, i, j) {
    gsub(/[\\]/, Q, text)
    i = braces(text, made)
    dotted = 1
    if (uncertain) risk = raised(risk, rank["execute"], "a pattern with too many words in braces")
    for (; i; i--) {
        n = split(made[i], part, "[ \t\n,]+")
        for (j = 1; j <= n && risk < highest; j++) {
            if (part[j] == "") continue
            risk = path_risk(part[j], 0, risk)
            if (place != "") risk = path_risk(place part[j], 0, risk)
        }
    }
    dotted = 0
    return risk
}

function without_marks(text) {
    gsub("[\001-\003]", "?", text)
    return text
}

# True if the path is inside the project from each directory in which the command may be.
function is_inside(path,    i, place) {
    if (path ~ /(^|\/)[.][.](\/|$)|(^|\/)[.][.]?[*?[]|^~/) return 0
    for (i = 1; i <= directories; i++) {
        place = plain_path(directory_of[i], path)
        if (index("~" U, substr(place, 1, 1)) && place != "") return 0
        if (substr(place, 1, 1) == "/" && !is_below_root(unmarked(place))) return 0
        if (substr(path, 1, 1) == "/") return 1
    }
    return 1
}

function is_below_root(path) { return root != "" && root != "/" && index(path "/", root "/") == 1 }

# The risk, raised to that of the first `path` row that the path matches and, if the path is written, of the first `written` row.
# A pattern raises it to that of the highest row that it can match.
function path_risk(path, written, risk,    i, place) {
    for (i = 1; i <= directories; i++) {
        paths_judged += 1 + int(length(path) / 256)
        if (paths_judged > 4096) return raised(risk, highest, "a command with too many words to be judged")
        place = tolower(plain_path(directory_of[i], path))
        if (substr(place, 1, 2) == U "/") place = substr(place, 2)
        if (substr(place, 1, 1) != "/") place = "/" place
        if (is_pattern(place)) {
            if (written) risk = pattern_risk("written", place, risk)
            risk = pattern_risk("path", place, risk)
        } else {
            if (written) risk = place_risk("written", unmarked(place), risk)
            risk = place_risk("path", unmarked(place), risk)
        }
        if (path ~ "^[/~]") break
    }
    return risk
}

function place_risk(place, path, risk,    i) {
    if (!(place in forms)) place_load(place)
    for (i = 1; i <= forms[place]; i++)
        if (path ~ form_of[place, i]) return raised(risk, form_risk[place, i], "a file " in_words(first_row(place, path)))
    return risk
}

# Makes one regular expression from each run of adjacent rows with the same risk.
function place_load(place,    row, n, i, k, form, risk) {
    n = split(section[place], row, "\n")
    k = 0
    for (i = 2; i < n; i++) {
        form = "^" row_pattern(row[i]) "$"
        risk = row_risk(row[i])
        gsub(/[.]/, "[.]", form)
        gsub(/[*]/, ".*", form)
        sub(/^\^[.][*]/, "", form)
        sub(/[.][*]\$$/, "", form)
        if (!k || form_risk[place, k] != risk) {
            form_risk[place, ++k] = risk
            form_of[place, k] = form
        } else form_of[place, k] = form_of[place, k] "|" form
    }
    forms[place] = k
}

function pattern_risk(place, path, risk,    row, n, i, part, parts) {
    parts = split(substr(path, 2), part, "/")
    n = split(section[place], row, "\n")
    for (i = 2; i < n; i++) {
        if (row_risk(row[i]) <= risk || !row_meets(row_pattern(row[i]), part, parts)) continue
        risk = raised(risk, row_risk(row[i]), "a pattern that can match a file " in_words(row[i]))
    }
    return risk
}

# True if a path with patterns can match a row by at least one of its letters. part[1...parts] are the components of the path.
function row_meets(pattern, part, parts,    row, n, i, from, last, found, best) {
    last = 1
    if (pattern ~ /^[*]/) last = parts
    if (pattern ~ /^[*]?\//) sub(/^[*]?\//, "", pattern)
    n = split(pattern, row, "/")
    for (from = 1; from <= last; from++) {
        if (from + n - 1 > parts) return 0
        if (from + n - 1 < parts && row[n] !~ /[*]$/) continue
        best = 1
        for (i = 1; i <= n; i++) {
            found = meets(part[from + i - 1], row[i])
            if (!found) break
            best = higher(best, found)
        }
        if (i > n && best == 2) return 1
    }
    return 0
}

# The risk, raised if a program that reads all files below the path finds credentials there. A directory of the project does not
# count.
function searched_risk(path, risk,    i, k, n, place, row, part, parts) {
    n = split(section["searched"], row, "\n")
    for (i = 0; i <= directories; i++) {
        if (i && directory_of[i] !~ "^[/~]") continue
        place = i ? whole_path(directory_of[i], path) : latest_path(path)
        if (substr(place, 1, 1) == U ? substr(path, 1, 1) != U : place !~ /^\// || is_below_root(unmarked(place))) continue
        place = tolower(place)
        parts = split(substr(place, 1, 1) == "/" ? substr(place, 2) : place, part, "/")
        for (k = 2; k < n; k++) {
            if (row_risk(row[k]) <= risk || place != row_pattern(row[k]) && !row_searched(row_pattern(row[k]), part, parts)) continue
            risk = raised(risk, row_risk(row[k]), "a search of a directory " in_words(row[k]))
        }
        if (path ~ "^[/~]") break
    }
    return risk
}

# The path in the directory to which the last `cd` leads from the project, if each `cd` succeeds.
function latest_path(path) { return whole_path(latest == "" ? root : latest, path) }

# Returns the normalized path. A path that begins with ~ is placed below /home.
function whole_path(directory, path) {
    if (directory ~ /^~/) directory = "/home/" directory
    return plain_path(directory, path ~ /^~/ ? "/home/" path : path)
}

# True if the path can be the directory of the row. part[1...parts] are the components of the path.
function row_searched(pattern, part, parts,    row, n, i, from, found, best) {
    from = pattern ~ /^[*]\//
    sub(/^[*]?\//, "", pattern)
    n = split(pattern, row, "/")
    if (from ? parts < n : parts != n || substr(part[1], 1, 1) == U) return 0
    from = parts - n
    best = 0
    for (i = 1; i <= n; i++) {
        if (length(part[from + i]) > 256 && !is_pattern(part[from + i])) return 0
        found = meets(part[from + i], row[i])
        if (!found) return 0
        best = higher(best, found)
    }
    return best == 2
}

# The higher of two ranks. If that is `other`, `why` becomes the reason.
function raised(risk, other, why) {
    if (other <= risk) return risk
    if (why != "") because = why
    return other
}
