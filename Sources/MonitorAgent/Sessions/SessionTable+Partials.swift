internal import JSON

/// Text that is being written.
extension SessionTable {
    mutating func partial(_ messageID: String, _ text: String, replaces: Bool, in key: String, now: Double) -> [Action]
    {
        tell(throttles[key]?.take(messageID, text, replaces: replaces, now: now) ?? [], in: key)
    }

    mutating func partialClosed(_ messageID: String, in key: String, now: Double) -> [Action] {
        tell(throttles[key]?.close(messageID, now: now) ?? [], in: key)
    }

    var throttleDeadlines: [Double] { throttles.values.compactMap(\.deadline) }

    mutating func duePartials(_ now: Double) -> [Action] {
        throttles.keys.sorted().flatMap { key in tell(throttles[key]?.due(now) ?? [], in: key) }
    }

    private func tell(_ pieces: [PartialThrottle.Piece], in key: String) -> [Action] {
        guard isGreeted, let line = lines[key] else { return [] }
        return pieces.map { piece in
            var members: [(String, JSONValue)] = [
                ("session_id", .string(line.id)), ("message_id", .string(piece.messageID)),
            ]
            members +=
                piece.isClosed
                ? [("closed", .bool(true))] : [("text", .string(piece.text)), ("replaces", .bool(piece.replaces))]
            return .notify("session/partial", .object(members))
        }
    }
}
