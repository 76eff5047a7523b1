internal import JSON

/// The members of a tool's input that people do not see as they are, as JSON Pointers (RFC 6901). The empty pointer is
/// the whole input.
enum MaskedMembers {
    /// The limit of a list. If more members are masked, the list names the whole input.
    private static let maximum = 64

    /// The values that differ.
    static func pointers(_ sent: JSONValue?, shownAs shown: JSONValue?) -> [String] {
        guard let sent, let shown else { return sent == nil && shown == nil ? [] : [""] }
        var found: [String] = []
        collect(sent, shown, at: "", in: &found)
        return bounded(found)
    }

    /// The texts, and the names of members, that satisfy `isMasked`.
    static func pointers(in value: JSONValue, where isMasked: (String) -> Bool) -> [String] {
        var found: [String] = []
        collect(value, at: "", isMasked, in: &found)
        return bounded(found)
    }

    private static func bounded(_ found: [String]) -> [String] { found.count > maximum ? [""] : found }

    private static func collect(_ sent: JSONValue, _ shown: JSONValue, at pointer: String, in found: inout [String]) {
        guard found.count <= maximum else { return }
        switch (sent, shown) {
        case (.object(let left), .object(let right)) where left.count == right.count:
            for (left, right) in zip(left, right) {
                let member = "\(pointer)/\(escaped(right.0))"
                if isSame(left.0, right.0) {
                    collect(left.1, right.1, at: member, in: &found)
                } else {
                    found.append(member)
                }
            }
        case (.array(let left), .array(let right)) where left.count == right.count:
            for (index, pair) in zip(left, right).enumerated() {
                collect(pair.0, pair.1, at: "\(pointer)/\(index)", in: &found)
            }
        case (.string(let left), .string(let right)): if !isSame(left, right) { found.append(pointer) }
        default: if sent != shown { found.append(pointer) }
        }
    }

    private static func collect(
        _ value: JSONValue,
        at pointer: String,
        _ isMasked: (String) -> Bool,
        in found: inout [String]
    ) {
        guard found.count <= maximum else { return }
        switch value {
        case .object(let members):
            for (name, value) in members {
                let member = "\(pointer)/\(escaped(name))"
                if isMasked(name) { found.append(member) } else { collect(value, at: member, isMasked, in: &found) }
            }
        case .array(let items):
            for (index, item) in items.enumerated() { collect(item, at: "\(pointer)/\(index)", isMasked, in: &found) }
        case .string(let text): if isMasked(text) { found.append(pointer) }
        default: break
        }
    }

    /// Byte by byte: strings that Unicode calls equal may differ.
    private static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    /// By scalars: a slash before a combining accent is one character of Swift.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
