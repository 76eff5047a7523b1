internal import EventModel
internal import HTTPModel
internal import JSON
internal import Masking

/// The source and the time of a request.
struct Receipt {
    var machine: MachineID
    /// The name of the machine's key.
    var machineName: String
    var time: Timestamp
}

/// Converts a hook's object and its envelope into an event.
struct Normalizer {
    private static let maxPathBytes = 4096

    private var payloads: PayloadWriter
    private var policy: ContentPolicy

    init(policy: ContentPolicy) {
        self.policy = policy
        payloads = PayloadWriter(policy: policy)
    }

    func event(
        from hook: JSONElement,
        envelope: Envelope,
        id: EventID,
        receipt: Receipt
    ) throws(APIError) -> MonitorEvent {
        let sentName = Normalizer.hookEventName(of: hook)
        guard let type = envelope.type ?? sentName.map(EventType.init) else {
            throw .invalid("missing_event_type", "neither event_type nor data.hook_event_name is there")
        }
        let name = sentName ?? HookNameIndex.name(for: type)
        let project = envelope.projectPath ?? Normalizer.path(hook["cwd"])
        var facts = HookFacts.facts(of: hook, event: name, policy: policy, project: project)
        facts.stream = envelope.stream
        facts.isSilent = envelope.isSilent
        let summary = HookSummary.line(
            of: hook,
            event: name,
            name: name?.text ?? type.rawValue,
            policy: policy,
            risk: facts.risk
        )
        let payload = payloads.payload(of: hook, extra: envelope.extra)
        facts.shownWhole = WholeInput.shown(of: hook, event: name, summary: summary, payload: payload)
        let event = MonitorEvent(
            id: id,
            type: type,
            hookEventName: name,
            timestamp: envelope.timestamp ?? receipt.time,
            receivedAt: receipt.time,
            machine: receipt.machine,
            machineName: receipt.machineName,
            reportedMachineName: envelope.machineName,
            sessionID: try Normalizer.sessionID(of: hook) ?? envelope.sessionID,
            projectPath: project,
            toolName: HookFacts.name(hook["tool_name"]),
            summary: summary,
            payload: payload,
            facts: facts
        )
        guard !event.isReserved else { throw .reservedEventType("hook_event_name") }
        return event
    }

    /// Returns `nil` for a string that is not a valid path.
    static func path(_ element: JSONElement?) -> String? {
        guard let element, let length = element.utf8Count, (1...maxPathBytes).contains(length) else { return nil }
        return element.maskedString
    }

    static func hookEventName(of hook: JSONElement) -> HookEventName? {
        guard let text = hook["hook_event_name"]?.text(atMost: 200), !text.isEmpty else { return nil }
        let name = HookEventName(text)
        return name.known == nil ? HookEventName(SecretMasker.masked(text)) : name
    }

    /// Treats an empty id as missing.
    static func sessionID(of hook: JSONElement) throws(APIError) -> String? {
        guard let element = hook["session_id"], element.kind != .null, element.utf8Count != 0 else { return nil }
        guard let text = element.text(atMost: 200) else {
            throw .invalid(
                "invalid_session_id",
                "session_id is not a string of at most 200 characters",
                param: "session_id"
            )
        }
        return SecretMasker.masked(text)
    }
}

/// Maps the monitor's own event names to those of Claude Code.
enum HookNameIndex {
    private static let names: [EventType: HookEventName] = Dictionary(
        HookEventName.Known.allCases.map { (EventType(.known($0)), .known($0)) },
        uniquingKeysWith: { first, _ in first }
    )

    static func name(for type: EventType) -> HookEventName? { names[type] }
}
