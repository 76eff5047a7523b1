// What each hook event says about its session.

extension MonitorEvent {
    /// Events of the CLI's own helpers (compaction, prompt suggestions) end a subagent that never started.
    var isInternal: Bool {
        hookEventName?.known == .subagentStop && facts.agentType?.isEmpty ?? true
    }
}

extension HookEventName.Known {
    var endsToolCall: Bool {
        switch self {
        case .postToolUse, .postToolUseFailure, .permissionDenied, .postToolBatch, .subagentStop: true
        default: false
        }
    }
}

extension Session.State {
    /// `nil` for events that say nothing about whether the main agent works.
    init?(after name: HookEventName.Known, detail: String?) {
        switch name {
        case .userPromptSubmit, .userPromptExpansion, .preToolUse, .postToolUse, .postToolUseFailure, .postToolBatch,
            .permissionRequest, .permissionDenied, .preCompact, .elicitation, .elicitationResult:
            self = .running
        case .stop, .sessionEnd: self = .idle
        case .stopFailure: self = .error
        case .sessionStart:
            // Automatic compaction restarts the session in the middle of a turn.
            if detail == "compact" { return nil }
            self = .idle
        default: return nil
        }
    }
}

extension Session.WaitingFor.Kind {
    init?(notificationType: String?) {
        switch notificationType {
        case "permission_prompt", "worker_permission_prompt": self = .permission
        case "agent_needs_input": self = .input
        case "elicitation_dialog", "elicitation_url_dialog": self = .elicitation
        default: return nil
        }
    }

    init(toolName: String?) {
        switch toolName {
        case "AskUserQuestion": self = .question
        case "ExitPlanMode": self = .plan
        default: self = .permission
        }
    }
}

extension OpenRequests {
    mutating func apply(_ event: MonitorEvent) {
        let facts = event.facts
        let time = event.order.time
        let key = Key(agentID: facts.agentID, toolName: event.toolName, inputHash: facts.toolInputHash)
        switch event.hookEventName?.known {
        case .preToolUse:
            started(key, toolUseID: facts.toolUseID, at: time)
            let kind = Session.WaitingFor.Kind(toolName: event.toolName)
            if kind != .permission { requested(key, kind: kind, at: time) }
        case .permissionRequest:
            requested(key, kind: Session.WaitingFor.Kind(toolName: event.toolName), at: time)
        case .postToolUse, .postToolUseFailure, .permissionDenied:
            resolved(key, toolUseID: facts.toolUseID, at: time)
        case .elicitation:
            requested(Key(agentID: facts.agentID, toolName: nil, inputHash: nil), kind: .elicitation, at: time)
        case .elicitationResult:
            resolved(Key(agentID: facts.agentID, toolName: nil, inputHash: nil), toolUseID: nil, at: time)
        case .postToolBatch, .subagentStop, .stop, .stopFailure, .userPromptSubmit, .sessionEnd:
            turnEnded(agentID: facts.agentID, at: time)
        case .sessionStart:
            if facts.detail != "compact" { turnEnded(agentID: nil, at: time) }
        default: break
        }
    }
}
