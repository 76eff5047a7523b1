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

    /// Reads the substitutions in the source, in which quotes have no meaning.
    private mutating func expandText() {
        while let character = byte() {
            switch character {
            case UInt8(ascii: "$"): _ = readDollar(isQuoted: true)
            case UInt8(ascii: "`"): _ = readBackquoted(isQuoted: true)
            case UInt8(ascii: "\\"): at += 2
            default: at += 1
            }
        }
    }

    /// Reads a text that the shell parses separately: commands, or a text with substitutions.
    mutating func readSeparately(_ text: [UInt8], areCommands: Bool) {
        let (outer, place, waiting, open) = (source, at, documents, substitutions)
        (source, at, documents, substitutions) = (text, 0, [], 0)
        if areCommands { readCommands(until: nil) } else { expandText() }
        if !documents.isEmpty { markOpaque() }
        (source, at, documents, substitutions) = (outer, place, waiting, open)
    }

    mutating func readDollar(isQuoted: Bool) -> [UInt8] {
        let place = ahead(at + 1)
        let next = after(at)
        switch next {
        case UInt8(ascii: "("):
            at = place
            markOpaque()
            guard after(at) != UInt8(ascii: "(") else {
                readDoubleParentheses()
                break
            }
            at += 1
            readSubstitution()
        case UInt8(ascii: "'") where !isQuoted:
            at = place + 1
            return readANSI()
        case UInt8(ascii: "\"") where !isQuoted:
            markOpaque()
            at = place + 1
            return readDoubleQuoted()
        case UInt8(ascii: "{"):
            markOpaque()
            at = place + 1
            readBraces(isQuoted: isQuoted)
        case UInt8(ascii: "["):
            markOpaque()
            at = place + 1
            if readBalanced(UInt8(ascii: "["), UInt8(ascii: "]")) == nil { markOpaque() }
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

    /// Reads up to the closing brace of `${`. Only the substitutions in it count.
    private mutating func readBraces(isQuoted: Bool) {
        // In bash 5.3 and other shells, commands follow.
        let first = ahead(at)
        if first < source.count, source[first].isOne(of: .commandBraces) { leaveUnread() }
        descend()
        defer { ascend() }
        while let character = byte() {
            if character == UInt8(ascii: "}") {
                at += 1
                return
            }
            guard character.isOne(of: .angles), after(at) == UInt8(ascii: "(") else {
                step(over: character, isQuoted: isQuoted)
                continue
            }
            // In double quotes, bash reads commands here and does not run them.
            if isQuoted { leaveUnread() }
            at = ahead(at + 1) + 1
            markOpaque()
            readSubstitution()
        }
        markOpaque()
    }

    /// Reads one character, quote or substitution of a text in which only the substitutions are commands. There, bash
    /// runs the ones between single quotes, too, where it takes the quotes for plain characters when it expands the
    /// text.
    mutating func step(over character: UInt8, isQuoted: Bool) {
        switch character {
        case UInt8(ascii: "'"):
            let text = readSingleQuoted()
            readSeparately(ShellMark.unmarked(text), areCommands: false)
        case UInt8(ascii: "$"):
            guard after(at) == UInt8(ascii: "'") else {
                _ = readDollar(isQuoted: isQuoted)
                return
            }
            at = ahead(at + 1) + 1
            let text = readANSI()
            readSeparately(ShellMark.unmarked(text), areCommands: false)
        case UInt8(ascii: "`"): _ = readBackquoted(isQuoted: isQuoted)
        case UInt8(ascii: "\\"): at += 2
        case UInt8(ascii: "\""):
            at += 1
            _ = readDoubleQuoted()
        default: at += 1
        }
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
        backquotes += 1
        readSeparately(script, areCommands: true)
        backquotes -= 1
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
