/// Reads quotes, dollars and backquotes of a word. Each method reads from `at` on.
extension ShellReader {
    mutating func readSingleQuoted() -> [UInt8] {
        at += 1
        let text = source[min(at, source.count)...].prefix { $0 != UInt8(ascii: "'") }
        at = text.endIndex + 1
        if text.endIndex == source.count { markOpaque() }
        return ShellMark.quoted(text)
    }

    /// Reads up to the closing double quote; the opening one has been read.
    mutating func readDoubleQuoted() -> [UInt8] {
        var word: [UInt8] = []
        while let character = byte() {
            switch character {
            case UInt8(ascii: "$"): word += readDollar(isQuoted: true)
            case UInt8(ascii: "`"): word += readBackquoted(isQuoted: true)
            case UInt8(ascii: "\""):
                at += 1
                return word
            case UInt8(ascii: "\\"):
                let next = byte(1)
                at += 2
                guard next != UInt8(ascii: "\n") else { break }
                if next?.isOne(of: .escapedInQuotes) != true { word.append(character) }
                if let next { ShellMark.quoted(next, to: &word) }
            default:
                ShellMark.quoted(character, to: &word)
                at += 1
            }
        }
        markOpaque()
        return word
    }

    /// Reads the substitutions in the text of a here-document.
    mutating func expandText() {
        while let character = byte() {
            switch character {
            case UInt8(ascii: "$"): _ = readDollar(isQuoted: true)
            case UInt8(ascii: "`"): _ = readBackquoted(isQuoted: true)
            case UInt8(ascii: "\\"): at += 2
            default: at += 1
            }
        }
    }

    mutating func readDollar(isQuoted: Bool) -> [UInt8] {
        let place = ahead(at + 1)
        let next = after(at)
        switch next {
        case UInt8(ascii: "("):
            at = place
            markOpaque()
            if let end = arithmeticEnd() {
                readArithmetic(until: end)
            } else {
                at += 1
                readSubstitution()
            }
        case UInt8(ascii: "'") where !isQuoted:
            at = place + 1
            return readANSI()
        case UInt8(ascii: "\"") where !isQuoted:
            markOpaque()
            at = place + 1
            return readDoubleQuoted()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            markOpaque()
            at = place + 1
            readEnclosed(until: next == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"), isQuoted: isQuoted)
        case let name? where name.isNamePart || name.isOne(of: .variables):
            markOpaque()
            at = place + 1
            guard name.isNamePart, !name.isDigit else { break }
            while ahead(at) < source.count, source[ahead(at)].isNamePart { at = ahead(at) + 1 }
        default:
            at += 1
            return [UInt8(ascii: "$")]
        }
        return [ShellMark.unknown]
    }

    /// Reads up to the closing brace of `${` or the bracket of `$[`. Only the substitutions in it count.
    private mutating func readEnclosed(until closer: UInt8, isQuoted: Bool) {
        var depth = 0
        descend()
        defer { ascend() }
        while let character = byte() {
            if character == closer, depth == 0 {
                at += 1
                return
            }
            if closer == UInt8(ascii: "]"), character == UInt8(ascii: "[") { depth += 1 }
            if closer == UInt8(ascii: "]"), character == closer { depth -= 1 }
            step(over: character, isQuoted: isQuoted)
        }
        markOpaque()
    }

    /// Reads one character, quote or substitution of a text in which only the substitutions are commands.
    private mutating func step(over character: UInt8, isQuoted: Bool) {
        switch character {
        case UInt8(ascii: "'"): _ = readSingleQuoted()
        case UInt8(ascii: "$"): _ = readDollar(isQuoted: isQuoted)
        case UInt8(ascii: "`"): _ = readBackquoted(isQuoted: isQuoted)
        case UInt8(ascii: "\\"): at += 2
        case UInt8(ascii: "\""):
            at += 1
            _ = readDoubleQuoted()
        case UInt8(ascii: "<"), UInt8(ascii: ">"):
            guard !isQuoted, after(at) == UInt8(ascii: "(") else { fallthrough }
            at = ahead(at + 1) + 1
            markOpaque()
            readSubstitution()
        default: at += 1
        }
    }

    /// If the text at `at` is `((` and begins arithmetic, returns the index of the first of the two parentheses that
    /// close it.
    func arithmeticEnd() -> Int? {
        guard byte() == UInt8(ascii: "("), after(at) == UInt8(ascii: "(") else { return nil }
        var depth = 0
        var index = ahead(at + 1) + 1
        while index < source.count {
            switch source[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                if depth == 0 { return after(index) == UInt8(ascii: ")") ? index : nil }
                depth -= 1
            case UInt8(ascii: "'"): index = quoteEnd(from: index)
            case UInt8(ascii: "\""): index = quoteEnd(from: index)
            default: break
            }
            index += 1
        }
        return nil
    }

    private func quoteEnd(from start: Int) -> Int {
        let quote = source[start]
        var index = start + 1
        while index < source.count, source[index] != quote {
            index += source[index] == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
        }
        return index
    }

    mutating func readArithmetic(until end: Int) {
        at = ahead(at + 1) + 1
        while at < end { step(over: source[at], isQuoted: true) }
        if at <= end { at = ahead(end + 1) + 1 }
    }

    /// Reads the commands in backquotes. A backslash quotes fewer characters there.
    mutating func readBackquoted(isQuoted: Bool) -> [UInt8] {
        markOpaque()
        var script: [UInt8] = []
        at += 1
        var isClosed = false
        while !isClosed, let character = byte() {
            at += 1
            switch character {
            case UInt8(ascii: "`"): isClosed = true
            case UInt8(ascii: "\\"):
                let next = byte()
                at += 1
                let isEscape = next?.isOne(of: .escapedInBackquotes) == true || isQuoted && next == UInt8(ascii: "\"")
                if !isEscape { script.append(character) }
                if let next { script.append(next) }
            default: script.append(character)
            }
        }
        if !isClosed { markOpaque() }
        let (outer, place, waiting, open) = (source, at, documents, substitutions)
        (source, at, documents, substitutions) = (script, 0, [], 0)
        readCommands(until: nil)
        if !documents.isEmpty { markOpaque() }
        (source, at, documents, substitutions) = (outer, place, waiting, open)
        return [ShellMark.unknown]
    }

    /// Reads up to the closing quote of `$'`. Decodes only ASCII characters.
    private mutating func readANSI() -> [UInt8] {
        var word: [UInt8] = []
        while let character = byte() {
            at += 1
            switch character {
            case UInt8(ascii: "'"): return word
            case UInt8(ascii: "\\"): readEscape(to: &word)
            default: ShellMark.quoted(character, to: &word)
            }
        }
        markOpaque()
        return word
    }

    private mutating func readEscape(to word: inout [UInt8]) {
        let names = Array("abtnvfr".utf8)
        guard let character = byte() else { return word.append(UInt8(ascii: "\\")) }
        let octal = source[at...].prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        let hexadecimal = source[(at + 1)...].prefix(2).prefix(while: \.isHexadecimal)
        if !octal.isEmpty {
            at += octal.count
            add(octal.reduce(0) { $0 * 8 + Int($1 - UInt8(ascii: "0")) }, to: &word)
        } else if character == UInt8(ascii: "x"), !hexadecimal.isEmpty {
            at += 1 + hexadecimal.count
            add(Int(String(decoding: hexadecimal, as: UTF8.self), radix: 16) ?? 0, to: &word)
        } else if character.isOne(of: .quoteEscapes) {
            at += 1
            ShellMark.quoted(character, to: &word)
        } else if let code = names.firstIndex(of: character) {
            at += 1
            add(code + 7, to: &word)
        } else if character.isOne(of: .escapeEscapes) {
            at += 1
            add(27, to: &word)
        } else if character.isOne(of: .codeEscapes) {
            at += 1
            add(0, to: &word)
        } else {
            word.append(UInt8(ascii: "\\"))
        }
    }

    private mutating func add(_ code: Int, to word: inout [UInt8]) {
        guard (4...127).contains(code) else {
            markOpaque()
            return word.append(ShellMark.unknown)
        }
        ShellMark.quoted(UInt8(code), to: &word)
    }
}
