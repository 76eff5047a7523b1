internal import JSON

/// What terminals show.
extension SessionTable {
    mutating func screen(_ bytes: [UInt8], restarts: Bool, in key: String, now: Double) -> [Action] {
        // After the greeting, each terminal is asked for all that it shows.
        guard isGreeted, lines[key] != nil else { return [] }
        return tell(screens[key, default: ScreenThrottle()].take(bytes, restarts: restarts, now: now), in: key)
    }

    mutating func dueScreens(_ now: Double) -> [Action] {
        screens.keys.sorted().flatMap { key in tell(screens[key]?.due(now), in: key) }
    }

    private func tell(_ piece: ScreenThrottle.Piece?, in key: String) -> [Action] {
        guard isGreeted, let piece, let line = lines[key] else { return [] }
        let members: [(String, JSONValue)] = [
            ("session_id", .string(line.id)), ("data", .string(piece.text)), ("restarts", .bool(piece.restarts)),
        ]
        return [.notify("pty/output", .object(members))]
    }
}
