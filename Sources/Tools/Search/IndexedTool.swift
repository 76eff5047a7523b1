internal import EventModel
internal import Persistence

/// What the search knows of a tool.
struct IndexedTool: Sendable {
    var key: ToolKey
    /// The server's name.
    var server: String
    var machine: MachineID
    var path: String?
    /// Whether its definition is pinned and has not changed.
    var isReady: Bool
    var lexemes: [ToolLexeme]
}

extension IndexedTool: PGColumn {
    static var columnCount: Int { 7 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let (id, name, vector): (String, String, [UInt8])
        (id, server, machine, path, name, isReady, vector) = try row.values(from: column)
        key = ToolKey(server: id, tool: name)
        lexemes = ToolLexeme.all(in: vector)
    }
}

/// A word of a tool, as PostgreSQL stems it, and where it occurs.
struct ToolLexeme: Sendable, Equatable {
    /// The parts of a tool that have words.
    struct Places: OptionSet, Sendable {
        let rawValue: UInt8

        static let name = Places(rawValue: 1)
        static let description = Places(rawValue: 2)
        static let server = Places(rawValue: 4)
        static let arguments = Places(rawValue: 8)
    }

    var text: String
    var places: Places

    /// The most words of one tool that are indexed. Long descriptions have more.
    private static let most = 300

    /// Reads the text form of a `tsvector`, such as `'commit':2A,5B 'it''s':7`. The words beyond the bound are
    /// words of descriptions and arguments.
    static func all(in vector: [UInt8]) -> [ToolLexeme] {
        var found: [ToolLexeme] = []
        var next = 0
        while next < vector.count {
            guard vector[next] == UInt8(ascii: "'") else {
                next += 1
                continue
            }
            let text = quoted(vector, &next)
            found.append(ToolLexeme(text: text, places: places(vector, &next)))
        }
        guard found.count > most else { return found }
        let short = found.filter { !$0.places.isDisjoint(with: [.name, .server]) }
        return Array((short + found.filter { $0.places.isDisjoint(with: [.name, .server]) }).prefix(most))
    }

    /// The text between quotation marks at `next`. Two quotation marks stand for one, and two backslashes, too.
    private static func quoted(_ bytes: [UInt8], _ next: inout Int) -> String {
        var text: [UInt8] = []
        next += 1
        while next < bytes.count {
            let byte = bytes[next]
            let isDoubled = next + 1 < bytes.count && bytes[next + 1] == byte
            next += 1
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") {
                if isDoubled { next += 1 } else if byte == UInt8(ascii: "'") { break }
            }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func places(_ bytes: [UInt8], _ next: inout Int) -> Places {
        var places: Places = []
        var last = UInt8(ascii: ":")
        while next < bytes.count, bytes[next] != UInt8(ascii: " ") {
            let byte = bytes[next]
            if byte == UInt8(ascii: ",") { places.insert(place(last)) }
            last = byte
            next += 1
        }
        if last != UInt8(ascii: ":") { places.insert(place(last)) }
        return places
    }

    /// The weight after a position; the lowest one is not written.
    private static func place(_ weight: UInt8) -> Places {
        switch weight {
        case UInt8(ascii: "A"): .name
        case UInt8(ascii: "B"): .description
        case UInt8(ascii: "C"): .server
        default: .arguments
        }
    }
}
