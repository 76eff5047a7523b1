internal import Sessions

/// The text of a notification: as keys of an app's `Localizable.strings` if no content may leave the server,
/// otherwise in English.
struct NotificationText: Sendable, Equatable {
    var titleKey: String
    var bodyKey: String
    /// Arguments of the body. Numbers only.
    var bodyArguments: [String] = []
    var title: String
    var subtitle: String?
    var body: String
}

extension NotificationText {
    init(_ notice: Notification) {
        let (details, name) = (notice.details, notice.kind.rawValue)
        var key = "push.\(name).body"
        var (arguments, title): ([String], String) = ([], NotificationText.title(notice))
        var body = details.summary ?? details.toolName ?? ""
        switch notice.kind {
        case .permission:
            if let pending = details.pending, pending > 1 {
                key = "push.permission.body.many"
                arguments = [String(pending)]
                body = "\(pending) requests wait. " + body
            }
            if notice.isReminder { title = "Still waiting: " + title }
        case .resolved:
            if let pending = details.pending, pending > 0 {
                key = "push.resolved.body.pending"
                arguments = [String(pending)]
                body = pending == 1 ? "1 request still waits." : "\(pending) requests still wait."
            } else if [NotificationKind.finished, .stuck].map(\.rawValue).contains(details.reason) {
                body = "The session went on or was closed."
            } else {
                body = "Nothing waits for you here any more."
            }
        case .finished, .longTool:
            if let seconds = details.durationSeconds {
                let took = NotificationText.duration(seconds)
                body = body.isEmpty ? "Took \(took)." : "\(body) (\(took))"
            }
        case .stuck:
            let count = details.count ?? RepeatWatch.leastFailures
            arguments = [String(count)]
            body = "Failed \(count) times in the same way." + (body.isEmpty ? "" : " " + body)
        case .digest:
            arguments = [String(details.count ?? 0), String(details.sessions ?? 0)]
            body = NotificationText.digest(count: details.count ?? 0, sessions: details.sessions ?? 0)
        case .costThreshold:
            let what =
                switch details.reason {
                case "project": "The project's cost of today"
                case "session": "The session's cost"
                default: "Today's cost"
                }
            body = "\(what) has reached $\(NotificationText.amount(details.costUSD ?? 0))."
        case .serverFailed:
            let place = notice.place.machineName.map { "On \($0)" }
            body = [place, details.summary].compactMap(\.self).joined(separator: ": ")
        case .machineOffline:
            arguments = [String(details.sessions ?? 0)]
            body = NotificationText.atWork(sessions: details.sessions ?? 0)
        case .question, .error, .sessionStarted, .sessionEnded: break
        }
        self.init(
            titleKey: notice.isReminder ? "push.\(name).title.reminder" : "push.\(name).title",
            bodyKey: key,
            bodyArguments: arguments,
            title: title,
            subtitle: details.sessionTitle ?? notice.place.projectName,
            body: body.isEmpty ? title : body
        )
    }

    private static func title(_ notice: Notification) -> String {
        let tool = notice.details.toolName
        return switch notice.kind {
        case .permission: tool.map { "\($0) needs permission" } ?? "Claude needs permission"
        case .question:
            switch notice.details.reason {
            case "plan": "Claude has a plan to approve"
            case "idle_prompt": "Claude waits for you"
            default: "Claude has a question"
            }
        case .finished: "Claude is done"
        case .longTool: tool.map { "\($0) is done" } ?? "A tool is done"
        case .error: "Claude stopped: " + (notice.details.reason ?? "error").replacing("_", with: " ")
        case .stuck: tool.map { "\($0) fails again and again" } ?? "Claude repeats a failing call"
        case .sessionStarted: "Session started"
        case .sessionEnded: "Session ended"
        case .costThreshold: "Cost limit reached"
        case .serverFailed: tool.map { "The MCP server \($0) fails" } ?? "An MCP server fails"
        case .machineOffline: "\(notice.place.machineName ?? "A machine") is offline"
        case .resolved: notice.details.reason == nil ? "Answered" : "Over"
        case .digest: "Claude Code"
        }
    }

    static func atWork(sessions: Int) -> String {
        (sessions == 1 ? "1 session was" : "\(sessions) sessions were") + " at work."
    }

    static func digest(count: Int, sessions: Int) -> String {
        let updates = count == 1 ? "1 update" : "\(count) updates"
        return updates + " in " + (sessions == 1 ? "1 session" : "\(sessions) sessions")
    }

    static func duration(_ seconds: Double) -> String {
        let total = Int64(min(max(seconds, 0), 1e9).rounded())
        if total < 60 { return "\(total) s" }
        if total < 3600 { return total % 60 == 0 ? "\(total / 60) min" : "\(total / 60) min \(total % 60) s" }
        return "\(total / 3600) h \(total % 3600 / 60) min"
    }

    static func amount(_ dollars: Double) -> String {
        let cents = Int64((min(max(dollars, 0), 1e12) * 100).rounded())
        let fraction = cents % 100
        return "\(cents / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
