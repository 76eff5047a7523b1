package import API
package import HTTPModel
package import JSON
internal import Signing

/// Reads of files on machines. Nothing that is read is stored or logged.
extension AgentService {
    private static let fileSeconds = 15.0
    private static let searchSeconds = 25.0
    /// The most of a file in one answer, and in one message of the agent.
    static let mostFileBytes: Int64 = 10 << 20
    static let filePage: Int64 = 384 << 10
    /// An agent may send smaller parts than it was asked for, but not without end.
    private static let mostPages = 2 * mostFileBytes / filePage

    typealias Arguments = [(String, JSONValue?)]

    package func list(
        _ place: WorkspacePlace,
        _ arguments: [(String, JSONValue?)],
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        try await carryOut("file/list", arguments, at: place, with: .look, seconds: Self.fileSeconds, by: responder)
    }

    func search(
        _ place: WorkspacePlace,
        _ arguments: Arguments,
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        try await carryOut("file/search", arguments, at: place, with: .look, seconds: Self.searchSeconds, by: responder)
    }

    func facts(_ place: WorkspacePlace, _ arguments: Arguments, by responder: Responder) async throws(APIError)
        -> JSONValue
    {
        try await carryOut("file/stat", arguments, at: place, with: .look, seconds: Self.fileSeconds, by: responder)
    }

    /// A part of a file, of several messages of the agent if it is large.
    ///
    /// - Parameters:
    ///   - limit: bytes, `mostFileBytes` at most.
    ///   - isBase64: whether the content is to be Base64 even if it is text.
    package func content(
        of place: WorkspacePlace,
        _ arguments: [(String, JSONValue?)] = [],
        from offset: Int64 = 0,
        limit: Int64,
        isBase64: Bool = false,
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        let first = try await page(place, arguments, offset, min(limit, Self.filePage), isBase64, nil, responder)
        guard var (content, end) = Self.part(first), end < offset + limit else { return first }
        let isText = first["encoding"]?.string == "utf-8"
        var pages = 1
        // A text page may end a few bytes early, so that it does not cut a character.
        while offset + limit - end >= (isText ? 4 : 1) {
            let room = min(offset + limit - end, Self.filePage)
            let version = first["version"]?.string
            let next = try await page(place, arguments, end, room, isBase64 || !isText, version, responder)
            pages += 1
            guard pages <= Self.mostPages else { throw AgentRefusal.malformed }
            guard next["encoding"] == first["encoding"] else {
                // What began as text is none.
                guard isText, !isBase64 else { throw AgentRefusal.malformed }
                return try await self.content(
                    of: place,
                    arguments,
                    from: offset,
                    limit: limit,
                    isBase64: true,
                    by: responder
                )
            }
            content += next["content"]?.string ?? ""
            guard let (_, further) = Self.part(next) else {
                return Self.joined(first, content, end + (next["bytes"]?.integer ?? 0) - offset, next: nil)
            }
            guard further > end else { break }
            end = further
        }
        return Self.joined(first, content, end - offset, next: end)
    }

    /// The content and where it goes on; `nil` at the end of the file.
    private static func part(_ page: JSONValue) -> (String, Int64)? {
        guard let next = page["next_offset"]?.integer, let content = page["content"]?.string else { return nil }
        return (content, next)
    }

    private static func joined(_ first: JSONValue, _ content: String, _ bytes: Int64, next: Int64?) -> JSONValue {
        guard case .object(let members) = first else { return first }
        return .object(
            members.filter { !["content", "bytes", "next_offset"].contains($0.0) } + [
                ("content", .string(content)), ("bytes", .integer(bytes)),
                ("next_offset", next.map { .integer($0) } ?? .null),
            ]
        )
    }

    private func page(
        _ place: WorkspacePlace,
        _ arguments: Arguments,
        _ offset: Int64,
        _ limit: Int64,
        _ isBase64: Bool,
        _ version: String?,
        _ responder: Responder
    ) async throws(APIError) -> JSONValue {
        let range: Arguments = [
            ("offset", .integer(offset)), ("limit", .integer(limit)), ("encoding", isBase64 ? .string("base64") : nil),
            ("version", version.map { .string($0) }),
        ]
        let page = try await carryOut(
            "file/get",
            arguments + range,
            at: place,
            with: .look,
            seconds: Self.fileSeconds,
            by: responder
        )
        guard Self.fits(page, from: offset, limit) else { throw AgentRefusal.malformed }
        return page
    }

    /// Whether a part has no more than was asked for. The server joins the parts.
    private static func fits(_ page: JSONValue, from offset: Int64, _ limit: Int64) -> Bool {
        let isText = page["encoding"]?.string == "utf-8"
        let most = isText ? limit : (limit + 2) / 3 * 4
        guard Int64(page["content"]?.string?.utf8.count ?? 0) <= most else { return false }
        guard let next = page["next_offset"]?.integer else { return true }
        return (offset...offset + limit).contains(next)
    }

    /// The bytes of a file, and its facts.
    func bytes(
        of place: WorkspacePlace,
        _ arguments: Arguments,
        from offset: Int64,
        limit: Int64?,
        by responder: Responder
    ) async throws(APIError) -> (bytes: [UInt8], file: JSONValue) {
        let most = limit ?? Self.mostFileBytes
        let file = try await content(of: place, arguments, from: offset, limit: most, isBase64: true, by: responder)
        if limit == nil, file["next_offset"]?.integer != nil {
            throw APIError(
                .invalidRequest,
                status: 413,
                code: "file_too_large",
                message: "The file has more than \(Self.mostFileBytes) bytes. Ask for parts with 'offset' and 'limit'."
            )
        }
        guard let content = file["content"]?.string, let bytes = Base64.decode(content) else {
            throw AgentRefusal.malformed
        }
        return (bytes, file)
    }
}
