/// Scans a text and stops at each secret.
///
/// Words are compared with the prefixes at their beginning. A word also begins after an escape that a program wrote:
/// `\n` and `\u0026` in nested JSON, `%3D` in a query, terminal colours.
struct SecretScan {
    let table: SecretTable
    /// The position of the next byte.
    var index = 0
    /// The text before this position has been processed. No further secret begins there.
    var copied = 0
    /// Number of bytes read in addition to the scan itself.
    var work = 0
    /// Until this position, a member `value` belongs to a member `name` that names a secret.
    var pairEnd = 0
    var pairStrength = SecretName.Strength.certain
    /// No JSON Web Token begins in this range.
    var noWebToken = 0..<0
    private var isStart = true
    /// Secrets found ahead of the scan position, nearest last. The text before them is not scanned yet.
    private var ahead: [Range<Int>] = []
    private var started = 0
    /// The last name looked up, and the result. A value is often the name of the next one.
    private var knownName = 0..<0
    private var knownStrength: SecretName.Strength?

    init(table: SecretTable) {
        self.table = table
    }

    /// Continues after a masked secret.
    mutating func pass(_ secret: Range<Int>) {
        index = secret.upperBound
        copied = secret.upperBound
        // Distances are measured in the masked text, so that masking it again finds no more.
        pairEnd += secret.count - SecretMasker.mask.count
    }

    /// Continues after a secret that stays in the text.
    mutating func keep(_ secret: Range<Int>) {
        index = secret.upperBound
        copied = secret.upperBound
    }

    /// Returns the range of the next secret, or `nil` at the end. The caller then calls `pass` or `keep`.
    ///
    /// A rule may find a secret further on, for example the password after a user name. The text before it is scanned
    /// first, because it may contain a secret too.
    mutating func next(in text: Span<UInt8>) -> Range<Int>? {
        while true {
            let bound = ahead.last?.lowerBound ?? text.count
            if let secret = next(in: text, before: bound) {
                if let outer = ahead.last, secret.upperBound > bound {
                    ahead[ahead.count - 1] = bound..<max(outer.upperBound, secret.upperBound)
                }
                let inner = secret.clamped(to: 0..<bound)
                if inner.lowerBound > started, !inner.isEmpty { ahead.append(inner) }
                if inner.lowerBound <= started, !inner.isEmpty { return inner }
                index = started
            } else {
                guard let secret = ahead.popLast() else { return nil }
                if secret.lowerBound >= copied { return secret }
                index = max(index, secret.upperBound)
            }
        }
    }

    /// If a rule finds a secret, `started` is the first byte after its trigger.
    private mutating func next(in text: Span<UInt8>, before count: Int) -> Range<Int>? {
        let kinds = table.kinds
        let thirdBytes = table.thirdBytes
        var position = index
        isStart = true
        while position < count {
            let kind = kinds[Int(text[position])]
            switch kind {
            case .word:
                if isStart, position + 3 < text.count {
                    let bucket = SecretTable.bucket(text[position], text[position + 1])
                    if thirdBytes[bucket] >> UInt64(text[position + 2] & 63) & 1 == 1 {
                        index = position
                        if let secret = prefixed(in: text, bucket) {
                            started = secret.lowerBound
                            return secret
                        }
                    }
                }
                isStart = false
                position += 1
                while position < count, kinds[Int(text[position])] == .word { position += 1 }
            case .plain:
                if !isStart, text[position] == UInt8(ascii: "_"), let secret = glued(in: text, endingAt: position) {
                    return secret
                }
                isStart = true
                position += 1
            case .dash where isInnerHyphen(in: text, at: position, kinds):
                if !isStart, let secret = glued(in: text, endingAt: position) { return secret }
                isStart = true
                position += 1
            default:
                index = position
                if let secret = atPunctuation(kind, in: text) { return secret }
                isStart = true
                position = index
            }
        }
        index = position
        return nil
    }

    /// Whether a single hyphen follows a letter or a digit. Such a hyphen begins neither an option nor the label of a
    /// key.
    @inline(__always)
    private func isInnerHyphen(in text: Span<UInt8>, at position: Int, _ kinds: [SecretTable.Kind]) -> Bool {
        position > 0 && kinds[Int(text[position - 1])] == .word
            && (position + 1 == text.count || kinds[Int(text[position + 1])] != .dash)
    }

    /// Advances by at least one byte if it finds nothing.
    private mutating func atPunctuation(_ kind: SecretTable.Kind, in text: Span<UInt8>) -> Range<Int>? {
        var length = 1
        var found: Range<Int>?
        switch kind {
        case .equals:
            found = assigned(in: text, behind: 1)
            length = text.endOfRun(from: index) { $0 == UInt8(ascii: "=") } - index
        case .colon:
            switch text.byte(at: index + 1) {
            case UInt8(ascii: "/"): found = SecretShape.userInfo(in: text, at: index, &self)
            case UInt8(ascii: "A"): found = SecretShape.telegramToken(in: text, at: index, &self)
            default: break
            }
            if found == nil, !text.has("/", "/", at: index + 1) {
                found = assigned(in: text, behind: 1) ?? SecretShape.pgpassPassword(in: text, at: index, &self)
            }
            length = text.endOfRun(from: index) { $0 == UInt8(ascii: ":") } - index
        case .dash:
            // A run of hyphens is a line. Only its beginning can be an option.
            length = text.endOfRun(from: index) { $0 == UInt8(ascii: "-") } - index
            // The end label of a body that has been found is not parsed as a beginning.
            if ahead.last?.lowerBound != index + length {
                found = SecretShape.privateKeyBody(in: text, at: index, &self)
            }
            if found == nil {
                found = SecretOption.value(in: text, at: index, &self)
            }
        case .tilde: found = SecretShape.azureClientSecret(in: text, at: index, &self)
        case .percent, .backslash:
            let escape = TextEscape(in: text, at: index)
            length = escape.length
            if escape.isSeparator { found = assigned(in: text, behind: length) }
        case .escape, .bracket: length = max(1, TextEscape.colour(in: text, at: index))
        default: break
        }
        started = index + length
        if let found, found.lowerBound >= copied, !found.isEmpty { return found }
        index += length
        return nil
    }

    private mutating func assigned(in text: Span<UInt8>, behind length: Int) -> Range<Int>? {
        SecretAssignment.value(in: text, separator: index..<(index + length), &self)
    }

    /// Finds a key that begins at `index`, where at least four bytes are.
    private mutating func prefixed(in text: Span<UInt8>, _ bucket: Int) -> Range<Int>? {
        let head =
            UInt32(text[index]) | UInt32(text[index + 1]) << 8 | UInt32(text[index + 2]) << 16
            | UInt32(text[index + 3]) << 24
        let prefixes = table.prefixes
        var number = Int(table.prefixStarts[bucket])
        let end = Int(table.prefixStarts[bucket + 1])
        while number < end {
            if prefixes[number].head == head & prefixes[number].mask,
                let secret = match(prefixes[number], comparedBytes: 4, in: text)
            {
                return secret
            }
            number += 1
        }
        return nil
    }

    /// Finds a key inside a word, such as `xghp_...`. `last` is the last byte of its prefix.
    private mutating func glued(in text: Span<UInt8>, endingAt last: Int) -> Range<Int>? {
        guard last >= 3 else { return nil }
        let bucket = SecretTable.bucket(text[last - 2], text[last - 1])
        var number = Int(table.gluedStarts[bucket])
        let bound = Int(table.gluedStarts[bucket + 1])
        while number < bound {
            let length = table.glued[number].count
            if table.glued[number].last == text[last], last + 1 - length >= copied {
                index = last + 1 - length
                work += length
                if let secret = match(table.glued[number], comparedBytes: 0, in: text) {
                    started = secret.lowerBound
                    return secret
                }
            }
            number += 1
        }
        return nil
    }

    /// - Parameter comparedBytes: the number of bytes at `index` that are known to be those of `prefix`.
    private mutating func match(_ prefix: SecretTable.Prefix, comparedBytes: Int, in text: Span<UInt8>) -> Range<Int>? {
        guard index + prefix.count <= text.count else { return nil }
        let bytes = table.prefixBytes
        var offset = comparedBytes
        while offset < prefix.count {
            guard text[index + offset] == bytes[prefix.offset + offset] else { return nil }
            offset += 1
        }
        if prefix.place != .wordStart, !text.beginsToken(at: index, orName: prefix.place == .nameStart) { return nil }
        let start = index + prefix.count
        if let shape = prefix.shape { return shape.secret(in: text, at: index, from: start, &self) }
        let end = run(of: prefix.body, in: text, from: start)
        return end - start >= prefix.minimum ? start..<end : nil
    }

    /// Whether this is the prefix of a key that is already masked.
    func isMasked(in text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard word.count >= 2, text.has("***", at: word.upperBound) else { return false }
        let bucket = SecretTable.bucket(text[word.lowerBound], text[word.lowerBound + 1])
        for number in Int(table.prefixStarts[bucket])..<Int(table.prefixStarts[bucket + 1]) {
            let prefix = table.prefixes[number]
            guard prefix.count == word.count else { continue }
            let isSame = (0..<prefix.count).allSatisfy {
                text[word.lowerBound + $0] == table.prefixBytes[prefix.offset + $0]
            }
            if isSame { return true }
        }
        return false
    }

    /// Caches the last look-up, because a name often occurs several times in a row.
    mutating func strength(ofName name: Range<Int>, in text: Span<UInt8>) -> SecretName.Strength? {
        if name != knownName, !isKnown(name, in: text) {
            knownStrength = SecretName.strength(of: text.extracting(name), table)
        }
        knownName = name
        return knownStrength
    }

    private func isKnown(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
        guard name.count == knownName.count else { return false }
        var offset = name.count - 1
        while offset >= 0 {
            guard text[name.lowerBound + offset] == text[knownName.lowerBound + offset] else { return false }
            offset -= 1
        }
        return true
    }

    /// The end of the run of bytes of this alphabet.
    mutating func run(of alphabet: SecretAlphabet, in text: Span<UInt8>, from start: Int, limit: Int = .max) -> Int {
        let classes = table.classes
        let bound = limit < text.count - start ? start + limit : text.count
        var end = min(start, text.count)
        while end < bound, classes[Int(text[end])] & alphabet.rawValue != 0 { end += 1 }
        work += end - start
        return end
    }
}
