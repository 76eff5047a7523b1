internal import EventModel

extension Prompt {
    /// - Parameter callID: Claude's id of the call, if known.
    init(_ hook: HookEvent, _ source: Source, _ kind: Kind, callID: String? = nil) {
        let details = hook.details
        self.init(
            openedBy: hook.eventID,
            openingSeq: hook.seq,
            openedAt: hook.time,
            sessionID: hook.sessionID ?? "",
            machine: hook.machine,
            workspaceID: hook.workspaceID,
            kind: kind,
            source: source,
            agentID: hook.agentID,
            toolName: hook.toolName,
            toolUseID: callID ?? Prompt.id(hook.eventID),
            callID: callID,
            inputHash: hook.inputHash,
            elicitationID: source == .elicitation ? details.elicitationID : nil,
            title: kind.title(of: hook, details),
            detail: hook.promptDetail,
            isDetailComplete: hook.isPromptDetailComplete,
            question: details.question ?? details.message,
            risk: hook.committed.event.facts.risk
        )
    }

    var call: CallKey { CallKey(agentID: agentID, toolName: toolName, inputHash: inputHash) }

    /// Adds the request of a dialog that a notification has already announced.
    mutating func identify(by request: HookEvent, callID: String?) {
        source = .call
        agentID = request.agentID
        toolName = request.toolName
        inputHash = request.inputHash
        self.callID = callID
        title = kind.title(of: request, request.details)
        detail = request.promptDetail
        isDetailComplete = request.isPromptDetailComplete
    }

    /// Two elicitations are the same if at least one of them has no name.
    func isElicitation(_ other: String?) -> Bool {
        source == .elicitation && (elicitationID == nil || other == nil || elicitationID == other)
    }

    /// Whether the result of a call of the same agent shows that the session went on. This is so for a prompt of a
    /// notification, which does not identify its call, unless the notification names another tool.
    func mayBe(of result: HookEvent) -> Bool {
        switch source {
        case .dialog: namedTool.map { $0 == result.toolName } ?? true
        case .input: true
        case .call, .elicitation, .idle: false
        }
    }

    /// The tool that a notification names. `nil` also for the names under which Claude Code shows some of its tools,
    /// as "Update" for Edit.
    private var namedTool: String? {
        let words = "permission to use "
        guard let question, let range = question.firstRange(of: words) else { return nil }
        let name = question[range.upperBound...]
        let isName = !name.isEmpty && name.utf8.allSatisfy { Prompt.isOfName($0) }
        return isName && !Prompt.shownNames.contains(String(name)) ? String(name) : nil
    }

    private static let shownNames: Set = ["Create", "Fetch", "List", "Search", "Update"]

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension Prompt.Kind {
    init(toolName: String?) {
        switch toolName {
        case "AskUserQuestion": self = .question
        case "ExitPlanMode": self = .plan
        default: self = .permission
        }
    }

    fileprivate func title(of hook: HookEvent, _ details: HookDetails) -> String {
        switch self {
        case .permission: hook.toolName?.cut(to: HookDetails.textBytes) ?? "Permission"
        case .question: "Question"
        case .plan: "Plan"
        case .elicitation: details.elicitationID ?? "Elicitation"
        case .input: "Input"
        }
    }
}

extension HookEvent {
    /// The request, without the tool's name before it.
    private var request: Substring {
        // By bytes: characters could take a part of the request into the prefix.
        guard let prefix = toolName.map({ "\($0): " })?.utf8, summary.utf8.starts(with: prefix) else {
            return summary[...]
        }
        return Substring(summary.utf8.dropFirst(prefix.count))
    }

    fileprivate var promptDetail: String { String(request).cut(to: HookDetails.textBytes) }

    fileprivate var isPromptDetailComplete: Bool {
        committed.event.facts.shownWhole.contains(.summary) && request.utf8.count <= HookDetails.textBytes
    }
}
