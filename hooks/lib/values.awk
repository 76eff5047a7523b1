# Decodes strings, and compares values. Runs with json.awk.

# The lines as one text. Appending to a long text copies it, so `whole` grows in large steps.
function joined(lines, n,    i, whole, part) {
    whole = ""; part = ""
    for (i = 1; i <= n; i++) {
        part = part (i > 1 ? "\n" : "") lines[i]
        if (length(part) > 65536) {
            whole = whole part
            part = ""
        }
    }
    return whole part
}

# The text of a value in the document.
function source(n) { return substr(text, from[n], stop[n] - from[n] + 1) }

# The decoded bytes of a string, with \u escapes as UTF-8. NUL and a lone surrogate become "?", and unwritten counts them.
function plain(n,    raw) {
    if (!n || kind[n] != "s") return ""
    raw = substr(text, from[n] + 1, stop[n] - from[n] - 1)
    return index(raw, "\\") ? resolved(raw) : raw
}

function resolved(raw,    piece, n, i, c, out, part, high) {
    n = split(raw, piece, "[\\\\]")
    out = ""
    part = piece[1]
    high = 0
    for (i = 2; i <= n; i++) {
        # Appending to a long string copies it, so `out` grows in large steps.
        if (length(part) > 4096) {
            out = out part
            part = ""
        }
        c = substr(piece[i], 1, 1)
        if (c != "u") high = 0
        if (piece[i] == "") {
            part = part "\\" piece[++i]
        } else if (c == "u") {
            c = hexadecimal(tolower(substr(piece[i], 2, 4)))
            if (high && c >= 56320 && c <= 57343) {
                part = substr(part, 1, length(part) - 1) utf8(65536 + (high - 55296) * 1024 + c - 56320)
                unwritten--
                c = 0
            } else if (c >= 55296 && c <= 57343) {
                part = part "?"
                unwritten++
            } else if (c) {
                part = part utf8(c)
            } else {
                part = part "?"
                unwritten++
            }
            high = c >= 55296 && c <= 56319 && length(piece[i]) == 5 ? c : 0
            part = part substr(piece[i], 6)
        } else {
            part = part (c == "n" ? "\n" : c == "t" ? "\t" : c == "r" ? "\r" : c == "b" ? "\b" : c == "f" ? "\f" : c)
            part = part substr(piece[i], 2)
        }
    }
    return out part
}

function hexadecimal(digits,    i, n) {
    n = 0
    for (i = 1; i <= length(digits); i++) n = n * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
    return n
}

function utf8(n) {
    if (n < 128) return sprintf("%c", n)
    if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
    if (n < 65536) return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
    return sprintf("%c%c%c%c", 240 + int(n / 262144), 128 + int(n / 4096) % 64, 128 + int(n / 64) % 64, 128 + n % 64)
}

# True if the two values are equal. Members may be in any order; numbers must have the same digits.
function same(a, b,    i, other) {
    if (!a || !b || kind[a] != kind[b]) return 0
    if (kind[a] == "s") return plain(a) "" == plain(b) ""
    if (kind[a] == "p") return value[a] "" == value[b] ""
    if (kids[a] != kids[b]) return 0
    for (i = 1; i <= kids[a]; i++) {
        other = kind[a] == "{" ? named(b, kid[a, i]) : kid[b, i]
        if (!same(kid[a, i], other)) return 0
    }
    return 1
}

# The member of an object that has the same name as another member, or 0.
function named(object, like_that,    i, found) {
    found = 0
    for (i = 1; i <= kids[object]; i++) if (key_of(kid[object, i]) == key_of(like_that)) found = kid[object, i]
    return found
}

# The decoded name of a member.
function key_of(n,    raw, rest) {
    rest = substr(text, name_at[n] + 1, from[n] - name_at[n] - 1)
    match(rest, /"[ \t\r\n]*:[ \t\r\n]*$/)
    raw = substr(rest, 1, RSTART - 1)
    return (index(raw, "\\") ? resolved(raw) : raw) ""
}

# True if the text matches the pattern, in which * stands for any characters.
function like(subject, pattern,    part, n, i, found) {
    n = split(pattern, part, "[*]")
    if (n < 2) return subject == pattern
    if (substr(subject, 1, length(part[1])) != part[1]) return 0
    subject = substr(subject, length(part[1]) + 1)
    for (i = 2; i < n; i++) {
        if (part[i] == "") continue
        if (!(found = index(subject, part[i]))) return 0
        subject = substr(subject, found + length(part[i]))
    }
    found = length(part[n])
    return length(subject) >= found && substr(subject, length(subject) - found + 1) == part[n]
}
