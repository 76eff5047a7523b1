/// Messages as server-sent events, and what keeps a connection open between them.
enum EventStream {
    static let comment = Array(": waiting\n\n".utf8)

    /// A client that has lost its connection reconnects after this time in milliseconds. Claude Code tries twice, so a
    /// server may be away for twice this time.
    private static let retry = "10000"

    /// An event without data, which gives the client the id with which it can ask for the rest of the stream.
    static func beginning(_ id: String) -> [UInt8] { Array("id: \(id)\nretry: \(retry)\ndata: \n\n".utf8) }

    /// - Parameter message: JSON without line breaks.
    static func event(_ message: [UInt8]) -> [UInt8] { Array("event: message\ndata: ".utf8) + message + [10, 10] }

    /// Whether an `Accept` header takes such a stream. Without the header, anything is taken.
    static func isAccepted(_ accept: String?) -> Bool {
        guard let accept else { return true }
        return accept.lowercased().split(separator: ",").contains { item in
            let type = item.prefix { $0 != ";" }.filter { $0 != " " }
            return ["text/event-stream", "text/*", "*/*"].contains(type)
        }
    }
}
