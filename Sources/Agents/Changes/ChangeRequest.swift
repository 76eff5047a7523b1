internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// What a client asks of a session's change set.
struct ChangeRequest: Sendable {
    /// Only this file, with its hunks.
    var path: String?
    /// The path as Base64, where its bytes are not UTF-8.
    var pathBytes: String?
    var hasHunks = false
    /// The patches are wanted as one text.
    var isPatch = false
    /// `now` or `stop`.
    var at: String?
    /// The id of a state of an earlier answer.
    var end: String?
    var skips: Int64 = 0
    var limit: Int64?
    var context: Int64?
    /// Bytes of the file's hunks to pass over.
    var offset: Int64?

    static let usualFiles: Int64 = 200
    static let mostFiles: Int64 = 1000
    static let mostContext: Int64 = 10_000

    init() {}

    /// - Parameter arguments: checked ones of `git/diff`.
    init(ofDiff arguments: JSONValue) {
        (path, pathBytes) = (arguments["path"]?.string, arguments["path_b64"]?.string)
        hasHunks = true
        (context, offset) = (arguments["context"]?.integer, arguments["offset"]?.integer)
    }

    init(_ request: RouteRequest) throws(APIError) {
        let query = request.query
        (path, pathBytes) = (query["path"], query["path_b64"])
        hasHunks = try ChangeRequest.word("hunks", ["true", "false"], request) == "true"
        at = try ChangeRequest.word("at", ["now", "stop"], request)
        isPatch = try ChangeRequest.word("format", ["json", "patch"], request) == "patch"
        end = query["end"]
        if let cursor = query["cursor"] {
            let parts = cursor.split(separator: ".")
            guard parts.count == 2, let skips = Int64(parts[1]), skips >= 0 else {
                throw .invalid("invalid_parameter", "'cursor' is not one of an answer.", param: "cursor")
            }
            (end, self.skips) = (String(parts[0]), skips)
        }
        if let end, end.utf8.count != 16 {
            throw .invalid("invalid_parameter", "'end' is not that of an answer.", param: "end")
        }
        limit = try ChangeRequest.integer("limit", 1...ChangeRequest.mostFiles, request)
        context = try ChangeRequest.integer("context", 0...ChangeRequest.mostContext, request)
        offset = try ChangeRequest.integer("offset", 0...(1 << 30), request)
    }

    private static func word(_ name: String, _ words: [String], _ request: RouteRequest) throws(APIError) -> String? {
        guard let text = request.query[name] else { return nil }
        guard words.contains(text) else {
            throw .invalid("invalid_parameter", "'\(name)' must be \(words.joined(separator: " or ")).", param: name)
        }
        return text
    }

    private static func integer(
        _ name: String,
        _ range: ClosedRange<Int64>,
        _ request: RouteRequest
    ) throws(APIError) -> Int64? {
        guard let text = request.query[name] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw .invalid(
                "invalid_parameter",
                "'\(name)' must be \(range.lowerBound) to \(range.upperBound).",
                param: name
            )
        }
        return number
    }

    /// Whether more is asked than names and counts.
    var showsContent: Bool { hasHunks || isPatch || path != nil || pathBytes != nil }

    /// Whether the last set that the agent told answers the request too: names and counts, from the first file on.
    var takesLast: Bool { !showsContent && end == nil && skips == 0 }

    /// - Parameter session: Claude Code's own id.
    func arguments(session: String, hasEnded: Bool) -> [(String, JSONValue?)] {
        [
            ("session_id", .string(session)), ("file", path.map(JSONValue.string)),
            ("file_b64", pathBytes.map(JSONValue.string)), ("hunks", hasHunks ? .bool(true) : nil),
            ("at", .string(hasEnded ? "stop" : at ?? "now")), ("end", end.map(JSONValue.string)),
            ("skip", skips > 0 ? .integer(skips) : nil), ("limit", limit.map(JSONValue.integer)),
            ("context", context.map(JSONValue.integer)), ("offset", offset.map(JSONValue.integer)),
        ]
    }
}
