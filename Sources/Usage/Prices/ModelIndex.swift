/// Finds models by the names that sessions, cloud providers and gateways use.
struct ModelIndex: Sendable {
    private var byName: [String: Int] = [:]
    private var byVersion: [ModelName: Int] = [:]
    /// The names of versions, the longest first, which gateways write inside names of their own.
    private var parts: [(text: String, model: Int)] = []

    init(_ models: [ModelRecord]) {
        for (index, model) in models.enumerated() {
            for name in [model.id] + model.aliases {
                let plain = ModelName.withoutContext(name)
                if byName[plain] == nil { byName[plain] = index }
                guard let version = ModelName(plain: plain[...]), byVersion[version] == nil else { continue }
                byVersion[version] = index
            }
        }
        parts = byVersion.map { (ModelIndex.text(of: $0.key), $0.value) }
        parts.sort { ($0.text.utf8.count, $0.text) > ($1.text.utf8.count, $1.text) }
    }

    /// The position of a model, or `nil` if none has the name. A name that states a version matches only that version.
    /// In a longer name, such as that of a gateway, the part that states a version is matched.
    func position(of name: String) -> Int? {
        let full = ModelName.withoutContext(name)
        if let found = byName[full] { return found }
        let plain = ModelName.plain(name)
        if let found = byName[String(plain)] { return found }
        if let version = ModelName(plain: plain) { return byVersion[version] }
        if let found = parts.first(where: { ModelIndex.states($0.text, in: full) }) { return found.model }
        return ModelRecord.withoutDay(String(plain)).flatMap { byName[$0] }
    }

    private static func text(of version: ModelName) -> String {
        let number = version.minor == 0 ? "\(version.major)" : "\(version.major)-\(version.minor)"
        return version.isLegacy ? "claude-\(number)-\(version.family)" : "claude-\(version.family)-\(number)"
    }

    /// Whether a name contains the text of a version, and not of another one that begins like it.
    private static func states(_ text: String, in name: String) -> Bool {
        let (name, text) = (Array(name.utf8), Array(text.utf8))
        guard name.count >= text.count else { return false }
        return (0...(name.count - text.count)).contains { start in
            let end = start + text.count
            return name[start..<end].elementsEqual(text) && !goesOn(name[end...], after: text)
        }
    }

    private static func goesOn(_ rest: ArraySlice<UInt8>, after text: [UInt8]) -> Bool {
        func digits(_ bytes: ArraySlice<UInt8>) -> Int {
            bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        }
        guard let last = text.last, digits([last]) == 1 else { return false }
        let hasMinor = text.split(separator: UInt8(ascii: "-")).count > 3
        let isMinorNext = rest.first == UInt8(ascii: "-") && (1...2).contains(digits(rest.dropFirst()))
        return digits(rest) > 0 || !hasMinor && isMinorNext
    }
}
