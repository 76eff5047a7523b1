package import EventModel
internal import JSON

/// The report of a machine about its live sessions.
package struct Heartbeat: Sendable, Equatable {
    /// Maximum number of sessions of one machine. Further sessions are ignored.
    static let maxSessions = 1000
    /// A machine that has sent nothing for this number of seconds is away: a closed lid, no network, no power.
    package static let awaySeconds = 300.0

    /// The time at which the server received the heartbeat.
    package var at: Timestamp
    /// Claude Code's own session ids.
    package var sessions: [String]
    /// Maps the id of each idle session to the time since which it is idle, on the machine's clock.
    package var idle: [String: Timestamp] = [:]
    /// Sent only when the file has changed.
    package var approvals: MachineApprovals?

    package init(at: Timestamp, sessions: [String]) {
        self.at = at
        self.sessions = sessions
    }

    /// Reads the body of a heartbeat. Returns `nil` if the body, a session id or `approvals` is invalid. An unreadable
    /// session must not count as ended.
    package init?(body: [UInt8], at: Timestamp) {
        guard let json = try? JSONValue.parse(body), let listed = json["sessions"]?.array else { return nil }
        self.init(at: at, sessions: [])
        if let value = json["approvals"], value != .null {
            guard let approvals = MachineApprovals(value) else { return nil }
            self.approvals = approvals
        }
        for session in listed.prefix(Heartbeat.maxSessions) {
            guard let id = session["session_id"]?.string, (1...200).contains(id.utf8.count) else { return nil }
            sessions.append(id)
            guard session["status"]?.string == "idle", let since = session["status_updated_at_ms"]?.integer,
                (1..<Heartbeat.endOfTime).contains(since)
            else { continue }
            idle[id] = Timestamp(microseconds: since * 1000)
        }
    }

    /// The year 5138, in milliseconds.
    private static let endOfTime: Int64 = 100_000_000_000_000

    /// The sessions whose processes have ended since the previous heartbeat.
    func gone(since before: Heartbeat?) -> [String] {
        let now = Set(sessions)
        return (before?.sessions ?? []).filter { !now.contains($0) }
    }

    /// Whether the machine is away although it should report this session.
    package func isSilent(about session: String, now: Timestamp) -> Bool {
        now.seconds(since: at) >= Heartbeat.awaySeconds && sessions.contains(session)
    }
}
