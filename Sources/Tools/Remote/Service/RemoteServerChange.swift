internal import API
internal import HTTPClient
internal import HTTPModel
internal import JSON

/// The body of a request that adds or changes a remote server. Pure.
struct RemoteServerChange: Sendable {
    /// In the database.
    static let mostServers = 200
    private static let mostHeaders = 20
    private static let mostValueBytes = 4096
    /// Those that the protocol or the client sets.
    private static let ownHeaders: Set<String> = ["accept", "content-type", "last-event-id", "origin", "cookie"]

    /// `nil` if the body does not name it.
    var name: String?
    var location: HTTPLocation?
    /// `nil` if the body does not name them: those that are stored stay. Empty removes them.
    var headers: [(name: String, value: String)]?
    var trustsHints: Bool?

    init(_ bytes: [UInt8]) throws(APIError) {
        let json = try JSONValue(object: bytes, maxDepth: 8)
        if let value = json["name"], value != .null {
            guard let name = value.string, RemoteServerChange.isName(name) else {
                throw .invalid(
                    "invalid_parameter",
                    "'name' must be 1 to 32 letters, digits, '-' and '_', without '__', and not end in '_'.",
                    param: "name"
                )
            }
            self.name = name
        }
        if let value = json["url"], value != .null { location = try RemoteServerChange.location(value) }
        if let value = json["headers"] { headers = try RemoteServerChange.headers(value) }
        if let value = json["trust_hints"], value != .null {
            guard let trusts = value.bool else {
                throw .invalid("invalid_parameter", "'trust_hints' must be true or false.", param: "trust_hints")
            }
            trustsHints = trusts
        }
    }

    /// As a part of `server.tool` and of `server__tool`, and of Claude Code's names of tools.
    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count) && ToolName.isTool(name) && !name.contains(".") && !name.contains("__")
            && !name.hasSuffix("_") && !name.hasPrefix("mcp_")
    }

    private static func location(_ value: JSONValue) throws(APIError) -> HTTPLocation {
        guard let location = value.string.flatMap(HTTPLocation.init) else {
            throw .invalid(
                "invalid_parameter",
                "'url' must be an https URL, without user and fragment. http is for listed networks only.",
                param: "url"
            )
        }
        guard !location.path.contains("?") else {
            throw .invalid(
                "invalid_parameter",
                "'url' must have no query, because URLs are shown. Give credentials as 'headers'.",
                param: "url"
            )
        }
        return location
    }

    private static func headers(_ value: JSONValue) throws(APIError) -> [(name: String, value: String)] {
        if value == .null { return [] }
        guard case .object(let members) = value, members.count <= mostHeaders else {
            throw .invalid("invalid_parameter", "'headers' must be an object of at most 20 texts.", param: "headers")
        }
        var headers: [(name: String, value: String)] = []
        for (name, value) in members {
            let lower = name.lowercased()
            guard let text = value.string, text.utf8.count <= mostValueBytes, OutboundRequest.maySet(name, text),
                !ownHeaders.contains(lower), !lower.hasPrefix("mcp-"),
                !headers.contains(where: { $0.name.lowercased() == lower })
            else {
                // The value may be a secret.
                throw .invalid(
                    "invalid_parameter",
                    "One of 'headers' cannot be sent, is set by the server itself, or is not printable ASCII.",
                    param: "headers"
                )
            }
            headers.append((name, text))
        }
        return headers
    }

    static let schema = JSONSchema.object([
        "name": JSONSchema.printable(32), "url": JSONSchema.printable(2048), "headers?": JSONSchema.any,
        "trust_hints?": JSONSchema.flag,
    ])

    static let changeSchema = JSONSchema.object([
        "url?": JSONSchema.printable(2048), "headers?": JSONSchema.any, "trust_hints?": JSONSchema.flag,
    ])
}

/// Headers as they are stored.
enum RemoteHeaders {
    static func names(_ headers: [(name: String, value: String)]) -> [UInt8] {
        JSONValue.array(headers.map { .string($0.name) }).encoded
    }

    /// What is sealed; `nil` without headers.
    static func secret(_ headers: [(name: String, value: String)]) -> [UInt8]? {
        headers.isEmpty ? nil : JSONValue.object(headers.map { ($0.name, .string($0.value)) }).encoded
    }

    static func opened(_ secret: [UInt8]) -> [(name: String, value: String)] {
        guard case .object(let members)? = try? JSONValue.parse(secret, maxDepth: 8) else { return [] }
        return members.compactMap { name, value in value.string.map { (name, $0) } }
    }
}
