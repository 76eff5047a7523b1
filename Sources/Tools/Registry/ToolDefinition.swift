internal import JSON
internal import Signing

/// What a server says of a tool, in the form in which it is pinned.
struct ToolDefinition: Sendable, Equatable {
    /// An object with sorted members.
    let json: JSONValue
    /// SHA-256 of the text in hexadecimal; empty if only the name is known.
    let digest: String

    private static let members: Set<String> = [
        "name", "title", "description", "inputSchema", "outputSchema", "annotations",
    ]

    /// Returns `nil` for what has no name.
    init?(_ reported: JSONValue) {
        guard case .object(let all) = reported, let name = reported["name"]?.string, ToolName.isTool(name) else {
            return nil
        }
        let kept = all.filter { ToolDefinition.members.contains($0.0) && $0.1 != .null }
        json = JSONValue.object(kept).sorted()
        let isNamed = kept.allSatisfy { $0.0 == "name" }
        digest = isNamed ? "" : Digest.hex(ofSorted: json)
    }

    init(stored text: [UInt8], digest: String) {
        json = (try? JSONValue.parse(text, maxDepth: 128)) ?? .object([])
        self.digest = digest
    }

    var name: String { json["name"]?.string ?? "" }
    var text: String { String(decoding: json.encoded, as: UTF8.self) }
    var title: String? { json["title"]?.string.map { PlainText.lines($0, atMost: 200) } }
    var description: String { PlainText.lines(json["description"]?.string ?? "", atMost: 10_000) }
    var isNameOnly: Bool { digest.isEmpty }

    /// An empty schema stands for one that is not known.
    var parameters: JSONValue {
        guard let schema = json["inputSchema"], schema.isObject else { return .object([("type", .string("object"))]) }
        return schema
    }

    var result: JSONValue? { json["outputSchema"].flatMap { $0.isObject ? $0 : nil } }
    var annotations: JSONValue? { json["annotations"].flatMap { $0.isObject ? $0 : nil } }

    /// The words of the arguments, for the search.
    var argumentWords: String {
        guard case .object(let properties)? = parameters["properties"] else { return "" }
        let words = properties.prefix(100).map { name, schema in
            ToolName.words(name) + " " + PlainText.words(String((schema["description"]?.string ?? "").prefix(300)))
        }
        return PlainText.lines(words.joined(separator: " "), atMost: 20_000)
    }
}

/// Text of others for people: without what moves a terminal's cursor or hides text.
enum PlainText {
    static func lines(_ text: String, atMost limit: Int) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\n" || scalar == "\t": result.append(scalar)
            case .control, .format, .surrogate: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The words with blanks between them, for the search: PostgreSQL takes `free/busy` for the name of a file.
    static func words(_ text: String) -> String {
        String(text.map { $0.isLetter || $0.isNumber || $0 == "'" ? $0 : " " })
    }
}
