internal import ClaudeRunner
internal import JSON
internal import MachinePolicy

/// What became of the question whether a tool may be called.
enum ToolCallDecision: Equatable, Sendable {
    case approved
    case denied(message: String)
    /// The machine's files let nobody approve it.
    case refused(message: String)
    case expired
    /// The session or the connection has ended.
    case abandoned

    /// A person's answer.
    init(_ answer: CheckedAnswer) {
        switch answer {
        case .allow(nil, _): self = .approved
        case .allow: self = .denied(message: "A person changed the arguments. A call is made as it was asked for.")
        case .deny(let message, _): self = .denied(message: message ?? "A person denied the call.")
        case .form: self = .denied(message: "A person denied the call.")
        }
    }

    init(ofMachine reply: PromptReply) {
        switch reply {
        case .deny(SessionTable.lateRefusal, _): self = .expired
        case .deny(let message, _): self = .refused(message: message)
        default: self = .refused(message: SessionTable.refusal)
        }
    }

    /// Throws unless the call is approved.
    func require() throws(CommandRefusal) {
        switch self {
        case .approved: return
        case .denied(let message): throw CommandRefusal(.deniedByPerson, message)
        case .refused(let message): throw CommandRefusal(.deniedByMachine, message)
        case .expired: throw CommandRefusal(.approvalExpired, "Nobody approved the call in time.")
        case .abandoned: throw CommandRefusal(.approvalExpired, "The session ended before somebody approved the call.")
        }
    }
}
