/// The parts of a model's name, as Claude Code reads them: `us.anthropic.claude-sonnet-4-5-20250929-v1:0`,
/// `vertex_ai/claude-sonnet-4-5@20250929`, `claude-sonnet-4.5`, `claude-3-7-sonnet-latest`, `claude-opus-5[1m]`.
struct ModelName: Hashable {
    var family: String
    var major: Int
    /// 0 if the name has none.
    var minor: Int
    /// The version stands before the family, as in `claude-3-7-sonnet`.
    var isLegacy: Bool

    /// Reads a name that `plain` has returned. Returns `nil` for a name in another form.
    init?(plain name: Substring) {
        var reader = NameReader(rest: name)
        guard reader.take("claude-") else { return nil }
        if let version = reader.version() {
            guard reader.take("-"), let family = reader.word() else { return nil }
            (self.family, isLegacy) = (family, true)
            (major, minor) = (version.major, version.minor ?? 0)
        } else {
            guard let family = reader.word(), reader.take("-"), let version = reader.version() else { return nil }
            (self.family, isLegacy) = (family, false)
            (major, minor) = (version.major, version.minor ?? 0)
        }
        guard reader.takeTrailer() else { return nil }
    }

    /// The name in lower case, without the context's size in brackets, a vendor's path, and a region. A point in the
    /// version becomes a hyphen.
    static func plain(_ name: String) -> Substring {
        var rest = withoutContext(name)[...]
        if let slash = rest.lastIndex(of: "/") { rest = rest[rest.index(after: slash)...] }
        for region in regions where rest.hasPrefix(region) { rest = rest.dropFirst(region.count) }
        if rest.hasPrefix("anthropic.claude-") { rest = rest.dropFirst("anthropic.".count) }
        return rest
    }

    /// The name in lower case and without `[1m]` or `[2m]`, with hyphens in the version.
    static func withoutContext(_ name: String) -> String {
        var name = name.lowercased()
        for suffix in ["[1m]", "[2m]"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        return hyphenated(name)
    }

    /// The regions of Amazon Bedrock's inference profiles.
    private static let regions = ["us.", "eu.", "apac.", "jp.", "au.", "us-gov.", "global."]

    /// `claude-sonnet-4-5` of `claude-sonnet-4.5`.
    private static func hyphenated(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: ".")) else { return name }
        var bytes = Array(name.utf8)
        let start = Array("claude-".utf8)
        for place in bytes.indices where bytes[place] == UInt8(ascii: ".") {
            let follows = place + 1 < bytes.count && bytes[place + 1].isDigit
            guard follows, place > 0, bytes[place - 1].isDigit else { continue }
            // From the point back: one or two digits, then `claude-` or `claude-FAMILY-`.
            var from = place
            while from > 0, bytes[from - 1].isDigit { from -= 1 }
            guard place - from <= 2 else { continue }
            let isDirect = bytes[..<from].suffix(start.count).elementsEqual(start)
            var word = from - 1
            while word > 0, bytes[word - 1].isLetter { word -= 1 }
            let isAfterFamily =
                word > 0 && word < from - 1 && bytes[from - 1] == UInt8(ascii: "-")
                && bytes[..<word].suffix(start.count).elementsEqual(start)
            if isDirect || isAfterFamily { bytes[place] = UInt8(ascii: "-") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Reads a model's name from its beginning.
private struct NameReader {
    var rest: Substring

    mutating func take(_ prefix: String) -> Bool {
        guard rest.hasPrefix(prefix) else { return false }
        rest = rest.dropFirst(prefix.count)
        return true
    }

    mutating func word() -> String? {
        let word = rest.utf8.prefix { $0.isLetter }
        guard !word.isEmpty else { return nil }
        rest = rest[word.endIndex...]
        return String(Substring(word))
    }

    /// One or two digits that no digit follows.
    private mutating func number(upTo count: Int = 2) -> Int? {
        let digits = rest.utf8.prefix { $0.isDigit }
        guard (1...count).contains(digits.count) else { return nil }
        rest = rest[digits.endIndex...]
        return Int(Substring(digits))
    }

    /// A major version, and a minor one after a hyphen.
    mutating func version() -> (major: Int, minor: Int?)? {
        guard let major = number() else { return nil }
        let before = rest
        if take("-"), let minor = number() { return (major, minor) }
        rest = before
        return (major, nil)
    }

    private mutating func day(after mark: String) -> Bool {
        let before = rest
        let digits = take(mark) ? rest.utf8.prefix { $0.isDigit } : rest.utf8.prefix(0)
        guard digits.count == 8 else {
            rest = before
            return false
        }
        rest = rest[digits.endIndex...]
        return true
    }

    /// Takes what may follow a version: `-fast` or `-latest`, a day, and the release of a cloud provider. Returns
    /// whether nothing else follows.
    mutating func takeTrailer() -> Bool {
        if !take("-fast") { _ = take("-latest") }
        let before = rest
        if !(take("-v") && number(upTo: 3) != nil && day(after: "@")) {
            rest = before
            if !day(after: "-") { _ = day(after: "@") }
        }
        if take("-v") {
            guard number(upTo: 3) != nil else { return false }
            if take(":"), number(upTo: 3) == nil { return false }
        }
        return rest.isEmpty
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
