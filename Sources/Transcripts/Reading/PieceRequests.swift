internal import EventModel

/// The requests of one piece, each once, in the order of their first lines.
struct PieceRequests {
    private var requests: [String: RequestUsage] = [:]
    private var order: [String] = []

    var all: [RequestUsage] { order.compactMap { requests[$0] } }

    /// Adds what a line says about its request. The line with the most output tokens has the request's figures.
    ///
    /// - Parameters:
    ///   - place: the name of the line.
    ///   - time: when the line has no time of its own.
    ///   - session: the session of the file, as Claude Code names it.
    mutating func take(
        _ request: RequestUsage,
        _ line: TranscriptLine,
        place: String,
        at time: Timestamp,
        session: String,
        content: inout PieceContent
    ) {
        var request = request
        if request.at.microseconds == 0 { request.at = time }
        request.answer = content.answers.name(of: request, in: line, place: place)
        if let origin = line.requestSession, origin != session {
            request.origin = origin
            if let id = request.requestID ?? request.messageID { content.copied[origin, default: []].insert(id) }
        }
        let words = [request.requestID, request.messageID, request.answer, request.origin].map { $0 ?? "" }
        let key = words.joined(separator: "\n")
        if requests[key] == nil { order.append(key) }
        if request.tokens.output >= requests[key]?.tokens.output ?? 0 { requests[key] = request }
    }
}
