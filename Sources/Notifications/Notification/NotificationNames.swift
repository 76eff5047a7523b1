internal import EventModel

/// The names of notifications outside the server. Push services see them, so they contain hashes of session and
/// workspace ids, never the ids.
enum NotificationNames {
    /// 20 hexadecimal digits.
    static func hash(_ text: String) -> String { Fingerprint.hex(text) }

    /// The resolution of a prompt has the prompt's collapse id, so that it replaces the prompt's notice.
    static func collapseID(_ kind: NotificationKind, session: String, detail: String? = nil) -> String {
        let base = "\(letter(kind)):\(hash(session))"
        return detail.map { base + ":" + hash($0) } ?? base
    }

    static func letter(_ kind: NotificationKind) -> String {
        switch kind {
        case .permission: "p"
        case .question: "q"
        case .finished: "d"
        case .longTool: "t"
        case .error: "e"
        case .stuck: "l"
        case .sessionStarted: "s"
        case .sessionEnded: "x"
        case .costThreshold: "c"
        case .serverFailed: "m"
        case .machineOffline: "o"
        case .resolved: "r"
        case .digest: "g"
        }
    }

    static func threadID(_ place: NotificationPlace, by grouping: NotificationGrouping) -> String {
        if grouping == .project, let workspace = place.workspaceID { return "w:" + hash(workspace) }
        return place.sessionID.map { "s:" + hash($0) } ?? "all"
    }
}
