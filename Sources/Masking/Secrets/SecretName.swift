internal import EventModel

/// Names whose values are secrets: `password`, `GITHUB_TOKEN`, `x-api-key`, `clientSecret`, `SERVICE_KEY`.
enum SecretName {
    /// The properties that make the value of such a name a secret.
    enum Strength: Sendable {
        /// Any value except a type, a reference or a call.
        case certain
        /// A value of at least 6 bytes that are not all letters. After `NAME=`, any word counts.
        case likely
        /// A value of at least 12 bytes of a token alphabet, with letters and digits.
        case random
        /// The line of a header: `name=value; name=value`.
        case line
    }

    static let maxBytes = 64

    /// Ignores case, underscores, hyphens and dots. Returns `nil` for names of values that are not secret, such as
    /// `max_tokens`.
    static func strength(of name: Span<UInt8>, _ table: SecretTable = .shared) -> Strength? {
        guard name.count >= 3, name.count <= maxBytes else { return nil }
        let last = name[name.count - 1].lowercasedASCII
        let letters = letters(of: name)
        var number = table.endingStarts[Int(last)]
        let endingsEnd = table.endingStarts[Int(last) + 1]
        while number < endingsEnd {
            let ending = table.endings[number]
            if ending.count > name.count { break }
            if letters & ending.letters == ending.letters, ends(name, with: ending, table) { return .certain }
            number += 1
        }
        for number in table.lastWordStarts[Int(last)]..<table.lastWordStarts[Int(last) + 1] {
            if let strength = strength(of: name, endingIn: table.words[number], table) { return strength }
        }
        guard name.count >= 8 else { return nil }
        for wanted in table.innerLetters where letters & wanted == wanted {
            return strengthByInnerWord(of: name, table)
        }
        return nil
    }

    /// One bit for each letter of a word, ignoring case.
    static func letters(of word: Span<UInt8>) -> UInt32 {
        var letters: UInt32 = 0
        var index = 0
        while index < word.count {
            letters |= 1 << UInt32(word[index] & 31)
            index += 1
        }
        return letters
    }

    /// The hash of the word in lower case.
    static func hash(of word: Span<UInt8>) -> UInt64 {
        var hash = StableHash()
        for index in word.indices { hash.combine(word[index].lowercasedASCII) }
        return hash.value
    }

    private static func ends(_ name: Span<UInt8>, with ending: SecretTable.Ending, _ table: SecretTable) -> Bool {
        var position = name.count
        for index in ending.offset..<(ending.offset + ending.count) {
            repeat {
                position -= 1
                guard position >= 0 else { return false }
            } while isSeparator(name[position])
            guard name[position].lowercasedASCII == table.endingBytes[index] else { return false }
        }
        return true
    }

    private static func strength(of name: Span<UInt8>, endingIn word: SecretTable.Word, _ table: SecretTable)
        -> Strength?
    {
        let start = name.count - word.count
        guard start >= 0, matches(name, word, at: start, table), isWordStart(name, start) else { return nil }
        var before = start
        while before > 0, isSeparator(name[before - 1]) { before -= 1 }
        // Alone, `key`, `pass` and `pwd` are too common to name a secret.
        if before == 0, word.strength != .line { return word.count == 3 && isKey(name, start) ? nil : .random }
        var previous = max(0, before - 1)
        while previous > 0, !isWordStart(name, previous) { previous -= 1 }
        if previous < before, table.harmless[word.unless].contains(name.extracting(previous..<before)) {
            return nil
        }
        return word.strength
    }

    private static func isKey(_ name: Span<UInt8>, _ start: Int) -> Bool { name[start].lowercasedASCII == 0x6B }

    private static func strengthByInnerWord(of name: Span<UInt8>, _ table: SecretTable) -> Strength? {
        var start = 0
        while start < name.count - 5 {
            let letter = Int(name[start].lowercasedASCII)
            var number = table.innerWordStarts[letter]
            let numberEnd = table.innerWordStarts[letter + 1]
            while number < numberEnd {
                let word = table.words[number]
                let end = start + word.count
                if end < name.count, matches(name, word, at: start, table), isWordStart(name, end) {
                    return isHarmlessTail(name, from: end, unless: table.harmless[word.unless]) ? nil : word.strength
                }
                number += 1
            }
            start += 1
        }
        return nil
    }

    private static func isHarmlessTail(_ name: Span<UInt8>, from end: Int, unless: SecretWordSet) -> Bool {
        var start = end
        while start < name.count {
            while start < name.count, isSeparator(name[start]) { start += 1 }
            var wordEnd = start + 1
            while wordEnd < name.count, !isSeparator(name[wordEnd]), !isWordStart(name, wordEnd) { wordEnd += 1 }
            if start < name.count, unless.contains(name.extracting(start..<wordEnd)) { return true }
            start = wordEnd
        }
        return false
    }

    private static func matches(_ name: Span<UInt8>, _ word: SecretTable.Word, at start: Int, _ table: SecretTable)
        -> Bool
    {
        var offset = 0
        while offset < word.count {
            guard name[start + offset].lowercasedASCII == table.wordBytes[word.offset + offset] else { return false }
            offset += 1
        }
        return true
    }

    /// A word starts at the beginning, at or after a separator, or at an upper-case letter after a lower-case one.
    private static func isWordStart(_ name: Span<UInt8>, _ index: Int) -> Bool {
        index == 0 || isSeparator(name[index]) || isSeparator(name[index - 1])
            || name[index].isASCIIUpper && !name[index - 1].isASCIIUpper
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
