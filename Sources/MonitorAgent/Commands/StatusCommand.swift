internal import EventModel
internal import Host
internal import JSON
internal import MachinePolicy

struct StatusCommand {
    let places: AgentPlaces
    let isJSON: Bool

    /// What the running agent says; `nil` if none runs.
    private func read() -> JSONValue? {
        guard AgentLock.holder(places.lock) != nil,
            case .text(let text, _, _) = SmallFile.read(places.status, atMost: 16 << 20)
        else { return nil }
        return try? JSONValue.parse(text, maxDepth: 128)
    }

    func status() -> ExitStatus {
        guard let status = read() else {
            isJSON ? show(.object([("running", .bool(false))])) : say("The agent does not run.")
            return .unavailable
        }
        if isJSON {
            guard case .object(let members) = status else { return .failure }
            let newer = StatusCommand.update(status).map(JSONValue.string) ?? .null
            show(.object([("running", .bool(true))] + members + [("update", newer)]))
            return .success
        }
        let isConnected = status["connected"]?.bool ?? false
        say("The agent runs (process \(status["pid"]?.integer ?? 0), version \(status["version"]?.string ?? "")).")
        let server = status["server"]?.string ?? ""
        say(isConnected ? "It is connected to \(server)." : "It is not connected to \(server).")
        if !isConnected, let problem = status["problem"]?.string { say("Reason: \(problem)") }
        if let newer = StatusCommand.update(status) {
            say("The server has version \(newer) of the agent; monitor-agent update takes it.")
        }
        say("The machine's file agent is \(status["file"]?.string ?? "unknown").")
        say("Sessions: \(status["sessions"]?.array?.count ?? 0)")
        return .success
    }

    /// The version on the server, if it is newer than the running one.
    private static func update(_ status: JSONValue) -> String? {
        guard let release = status["release"]?.string, let offered = ClientVersion(release),
            let own = status["version"]?.string.flatMap(ClientVersion.init), own < offered
        else { return nil }
        return release
    }

    func sessions() -> ExitStatus {
        guard let status = read() else {
            isJSON ? show(.array([])) : say("The agent does not run.")
            return .unavailable
        }
        let sessions = status["sessions"]?.array ?? []
        if isJSON {
            show(.array(sessions))
            return .success
        }
        for session in sessions {
            let words = ["session_id", "state", "mode", "cwd"].map { session[$0]?.string ?? "-" }
            say(words.joined(separator: "  "))
        }
        if sessions.isEmpty { say("There are no sessions.") }
        return .success
    }

    private func say(_ line: String) { StandardOutput.write(ShownText.line(line) + "\n") }

    private func show(_ value: JSONValue) {
        var writer = JSONWriter()
        writer.value(value)
        StandardOutput.write(String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }
}
