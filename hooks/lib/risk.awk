# What a tool call can do, by the rows of risk.tsv, whose header says how. Runs with json.awk, values.awk and shell.awk.

# Reads the table. False if it cannot be read.
function risks_load(path,    line, part, read, n, i) {
    n = split("read edit execute network delete credentials publish", risk_name, " ")
    for (i = 1; i <= n; i++) rank[risk_name[i]] = i
    highest = n
    rows = 0
    while ((read = (getline line < path)) > 0) {
        if (line == "" || line ~ /^#/) continue
        if (split(line, part, "\t") != 3 || !(part[1] in rank)) return 0
        rows++
        row_risk[rows] = rank[part[1]]
        row_place[rows] = part[2]
        row_pattern[rows] = part[3]
    }
    close(path)
    return read == 0 && rows > 0
}

# The rank of a hook's tool call. Sets because, the reason in words.
function call_risk(data, project,    tool, input, i, risk, command) {
    tool = tool_of(data)
    input = member(data, "tool_input")
    while (project ~ /.\/$/) sub(/\/$/, "", project)
    root = project
    because = ""
    command = member(input, "command")
    for (i = 1; i <= rows; i++) {
        if (row_place[i] != "shell" || !like(tool, row_pattern[i])) continue
        if (!command || kind[command] != "s") return raised(0, row_risk[i], "a command that cannot be read")
        return raised(0, command_risk(plain(command), 0), "")
    }
    risk = 0
    for (i = 1; i <= rows && !risk; i++)
        if (row_place[i] == "tool" && like(tool, row_pattern[i])) risk = raised(0, row_risk[i], tool " " in_words(i))
    if (!risk) risk = raised(0, rank["execute"], tool " is in no row")
    return paths_risk(input, risk)
}

function tool_of(data,    tool) {
    tool = plain(member(data, "tool_name"))
    return tool == "" && plain(member(data, "hook_event_name")) == "Elicitation" ? "Elicitation" : tool
}

function paths_risk(input, risk,    n, i, path, part, edits) {
    edits = risk == rank["edit"]
    n = split("file_path notebook_path path", part, " ")
    for (i = 1; i <= n; i++) {
        path = member(input, part[i])
        if (!path || kind[path] != "s") continue
        path = plain(path)
        if (edits && !inside(path)) risk = raised(risk, rank["execute"], "an edit outside the project")
        risk = path_risk(path, edits, risk)
    }
    return risk
}

# True if the path is inside the project.
function inside(path) {
    if (index(path, "/..") || path == ".." || substr(path, 1, 3) == "../" || path ~ /^[~$]/) return 0
    if (substr(path, 1, 1) != "/") return 1
    return root != "" && root != "/" && substr(path, 1, length(root) + 1) == root "/"
}

# The risk, raised by the first `path` row that the path matches and, where it is written to, the first `written` row.
function path_risk(path, written, risk,    i, place) {
    path = tolower(path)
    gsub(/[=:@,]/, "/", path)
    if (substr(path, 1, 1) != "/") path = "/" path
    for (place = written ? "written" : "path"; ; place = "path") {
        for (i = 1; i <= rows; i++) {
            if (row_place[i] != place || !like(path, row_pattern[i])) continue
            risk = raised(risk, row_risk[i], "a file " in_words(i))
            break
        }
        if (place == "path") return risk
    }
}

# The higher of two ranks; where it is the new one, `why` is the reason.
function raised(risk, other, why) {
    if (other <= risk) return risk
    if (why != "") because = why
    return other
}

function in_words(i) { return "in the row \"" risk_name[row_risk[i]] " " row_place[i] " " row_pattern[i] "\"" }

function command_risk(command, depth,    token, n, i, kind_of, words, count, risk, moves) {
    if (length(command) > 32768 || depth > 3) return raised(0, highest, "a command too long to be judged")
    n = tokens(command, token)
    risk = raised(0, rank["read"], "a command that reads")
    moves = 0
    for (i = 1; i <= n; i++) if (token[i] == "wcd") moves = 1
    count = 0
    for (i = 1; i <= n + 1; i++) {
        kind_of = i > n ? ";" : substr(token[i], 1, 1)
        if (kind_of == "w") words[++count] = substr(token[i], 2)
        if (kind_of == "x") risk = raised(risk, rank["execute"], "a command with " substr(token[i], 2))
        if (kind_of == "<") risk = path_risk(substr(token[i], 2), 0, risk)
        if (kind_of == ">") risk = write_risk(substr(token[i], 2), moves, risk)
        if (kind_of != ";" || !count) continue
        risk = simple_risk(words, count, depth, moves, risk)
        count = 0
    }
    return risk
}

function write_risk(path, moves, risk) {
    if (path == "/dev/null") return risk
    if (!inside(path) || moves && path !~ /^\//) risk = raised(risk, rank["execute"], "a command that writes outside the project")
    return path_risk(path, 1, raised(risk, rank["edit"], "a command that writes to a file"))
}

function simple_risk(words, count, depth, moves, risk,    first, i) {
    for (i = 1; i <= count; i++) risk = path_risk(words[i], 0, risk)
    first = 1
    while (first <= count && words[first] ~ /^[A-Za-z_][A-Za-z0-9_]*[+]?=/) {
        risk = raised(risk, rank["execute"], "an assignment before a command")
        first++
    }
    for (; first <= count; first++) {
        program = program_of(words[first])
        i = row_of("prefix", program)
        if (!i) break
        risk = raised(risk, row_risk[i], "a command " in_words(i))
        while (first < count && words[first + 1] ~ /^(-.*|[0-9.]+[smhd]?|[A-Za-z_][A-Za-z0-9_]*=.*)$/) first++
    }
    if (first > count) return risk
    if (words[first] ~ /\// && words[first] == program) risk = raised(risk, rank["execute"], "a program of its own")
    sub(/^.*\//, "", program)
    i = row_of("runs", program)
    if (!i) return rows_risk(words, first, count, moves, risk)
    risk = raised(risk, row_risk[i], "a command " in_words(i))
    return arguments_risk(words, first, count, depth, risk)
}

# What a program runs can be all of its arguments, one of them, or those after the first (a host, a user).
function arguments_risk(words, first, count, depth, risk,    i, whole, rest, arguments) {
    whole = ""; rest = ""; arguments = 0
    for (i = first + 1; i <= count; i++) {
        if (words[i] ~ /^-/) continue
        arguments++
        whole = whole " " words[i]
        if (arguments > 1) rest = rest " " words[i]
        if (words[i] ~ /[ \t\n]/) risk = raised(risk, command_risk(words[i], depth + 1), "")
    }
    if (whole != "") risk = raised(risk, command_risk(whole, depth + 1), "")
    return rest == "" ? risk : raised(risk, command_risk(rest, depth + 1), "")
}

# The name of a program in one of the system's directories; any other word as it is.
function program_of(word,    name) {
    if (!index(word, "/")) return word
    name = word
    sub(/^\/(bin|sbin|usr\/bin|usr\/sbin|usr\/local\/bin|opt\/homebrew\/bin)\//, "", name)
    return index(name, "/") ? word : name
}

function row_of(place, word,    i) {
    for (i = 1; i <= rows; i++) if (row_place[i] == place && like(word, row_pattern[i])) return i
    return 0
}

function rows_risk(words, first, count, moves, risk,    i, found, row) {
    found = 0; row = 0
    for (i = 1; i <= rows; i++) {
        if (row_place[i] != "command" || row_risk[i] <= found || !row_matches(i, words, first, count)) continue
        found = row_risk[i]
        row = i
    }
    if (!row) return raised(risk, rank["execute"], "a command that is in no row: " program)
    if (found == rank["edit"]) {
        for (i = first + 1; i <= count; i++) {
            if (words[i] ~ /^-/) continue
            risk = path_risk(words[i], 1, risk)
            if (moves || !inside(words[i])) risk = raised(risk, rank["execute"], "a command that writes outside the project")
        }
    }
    return raised(risk, found, "a command " in_words(row))
}

function row_matches(row, words, first, count,    part, n, k, i, in_place, from_here) {
    n = split(row_pattern[row], part, " ")
    if (!like(program, part[1])) return 0
    in_place = row_risk[row] <= rank["edit"]
    from_here = first + 1
    for (k = 2; k <= n; k++) {
        if (substr(part[k], 1, 1) == "-") {
            for (i = first + 1; i <= count; i++) if (like(words[i], part[k])) break
            if (i > count) return 0
        } else if (in_place) {
            if (first + k - 1 > count || !like(words[first + k - 1], part[k])) return 0
        } else {
            while (from_here <= count && !like(words[from_here], part[k])) from_here++
            if (from_here > count) return 0
            from_here++
        }
    }
    return 1
}
