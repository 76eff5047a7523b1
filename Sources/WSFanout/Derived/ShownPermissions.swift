public import EventModel
import JSON

/// The permission dialogs that were shown and are still open, told from events in the order of the log. Claude Code
/// says nothing when a dialog is answered in the terminal: a dialog is over with the result of its call, or when the
/// turn, the agent or the session goes on without it.
public struct ShownPermissions: Sendable {
    /// Dialogs of all sessions. Beyond it all are forgotten: their clients hear of no answer.
    static let maximum = 1024
    /// The oldest of a session is forgotten beyond it.
    static let maximumOfSession = 16

    fileprivate struct Dialog {
        var id: String
        var toolUseID: String?
        var toolName: String?
        var inputHash: UInt64?
        var agentID: String?
    }

    private var dialogs: [String: [Dialog]] = [:]
    private var count = 0

    public init() {}

    /// The next event of the log, with the dialogs that it ends.
    public mutating func encode(_ committed: CommittedEvent, epoch: String) -> EncodedEvent {
        EncodedEvent(committed, epoch: epoch, ending: note(committed.event))
    }

    /// The dialogs that the event ends.
    mutating func note(_ event: MonitorEvent) -> [EndedPermission] {
        guard let session = event.sessionID, let hook = event.hookEventName?.known else { return [] }
        if hook == .permissionRequest {
            open(event, session)
            return []
        }
        guard dialogs[session] != nil else { return [] }
        let agentID = event.facts.agentID
        switch hook {
        case .postToolUse, .postToolUseFailure: return end(.allow, call: event, session)
        case .permissionDenied: return end(.deny, call: event, session)
        case .userPromptSubmit where event.facts.promptIsInjected: return []
        case .userPromptSubmit, .stop, .stopFailure, .subagentStop: return end(session) { $0.agentID == agentID }
        case .sessionEnd: return end(session) { _ in true }
        default: return []
        }
    }

    private mutating func open(_ event: MonitorEvent, _ session: String) {
        if count >= ShownPermissions.maximum { self = ShownPermissions() }
        let dialog = Dialog(
            id: PermissionNotices.requestID(event),
            toolUseID: event.facts.toolUseID,
            toolName: event.toolName,
            inputHash: event.facts.toolInputHash,
            agentID: event.facts.agentID
        )
        dialogs[session, default: []].append(dialog)
        count += 1
        if dialogs[session, default: []].count > ShownPermissions.maximumOfSession {
            dialogs[session]?.removeFirst()
            count -= 1
        }
    }

    /// The oldest dialog of this very call.
    private mutating func end(
        _ decision: EndedPermission.Decision,
        call event: MonitorEvent,
        _ session: String
    ) -> [EndedPermission] {
        guard let index = dialogs[session]?.firstIndex(where: { $0.asks(for: event) }),
            let dialog = dialogs[session]?.remove(at: index)
        else { return [] }
        count -= 1
        if dialogs[session]?.isEmpty == true { dialogs[session] = nil }
        return [EndedPermission(id: dialog.id, decision: decision)]
    }

    /// Nobody knows how these were answered.
    private mutating func end(_ session: String, where isOver: (Dialog) -> Bool) -> [EndedPermission] {
        let all = dialogs[session] ?? []
        let left = all.filter { !isOver($0) }
        count -= all.count - left.count
        dialogs[session] = left.isEmpty ? nil : left
        return all.filter(isOver).map { EndedPermission(id: $0.id, decision: nil) }
    }
}

extension ShownPermissions.Dialog {
    /// A question's answers stand in the input of its result, so that its hash is another one.
    fileprivate func asks(for event: MonitorEvent) -> Bool {
        guard agentID == event.facts.agentID else { return false }
        if let toolUseID { return toolUseID == event.facts.toolUseID }
        let isQuestion = toolName == "AskUserQuestion" || toolName == "ExitPlanMode"
        return toolName == event.toolName && (isQuestion || inputHash == event.facts.toolInputHash)
    }
}

/// A permission dialog that is over.
struct EndedPermission: Sendable, Equatable {
    enum Decision: String, Sendable {
        case allow
        case deny
    }

    /// As the dialog's own notification has it.
    var id: String
    /// `nil`: not known.
    var decision: Decision?

    /// What cdev's clients close their banner by.
    func notice(session: String?) -> DerivedEvent {
        DerivedEvent("pty_permission_resolved") { writer in
            writer.field("tool_use_id", id)
            writer.field("session_id", session)
            writer.field("resolved_by", "terminal")
            writer.field("decision", decision?.rawValue)
        }
    }
}
