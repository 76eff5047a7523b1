internal import EventModel

/// Recognizes the second report of one hook event. Claude Code runs a hook twice if a plugin and the settings both
/// configure it.
///
/// Two reports are the same event if they are at most `windowSeconds` apart, and
/// - both are the end of a tool call with the same `tool_use_id` and input, or
/// - both are prompts, or both are ends of a turn, with the same text in the same turn. Reports without a turn's id
///   must have times of their own: a report that is stamped on arrival shows only when it arrived.
struct ReportedHooks: Sendable, Equatable {
    static let windowSeconds = 2.0
    /// The maximum number of reports kept. The latest ones are kept.
    static let maximumReports = 16

    struct Report: Sendable, Equatable {
        var identity: UInt64
        var time: Timestamp
    }

    /// Sorted by time.
    private(set) var reports: [Report] = []

    init() {}

    /// Returns whether the event was reported before. Must be called once for each event that counts.
    mutating func wasReported(_ hook: HookEvent) -> Bool {
        guard let identity = ReportedHooks.identity(of: hook) else { return false }
        let isKnown = reports.contains { report in
            report.identity == identity && abs(hook.time.seconds(since: report.time)) <= ReportedHooks.windowSeconds
        }
        let place = reports.firstIndex { ($0.time, $0.identity) > (hook.time, identity) } ?? reports.endIndex
        reports.insert(Report(identity: identity, time: hook.time), at: place)
        if reports.count > ReportedHooks.maximumReports { reports.removeFirst() }
        return isKnown
    }

    /// A hash that both reports of one event share; `nil` if the event has nothing to tell it from others.
    private static func identity(of hook: HookEvent) -> UInt64? {
        switch hook.name {
        case .postToolUse, .postToolUseFailure:
            return hook.toolUseID.map { hash("call", $0, String(hook.inputHash ?? 0)) }
        case .userPromptSubmit, .stop:
            let turn = hook.details.turnID
            if turn == nil, hook.isStampedOnArrival { return nil }
            return hash(hook.name.rawValue, turn ?? "", hook.agentID ?? "", hook.summary)
        default: return nil
        }
    }

    private static func hash(_ parts: String...) -> UInt64 {
        var hash = StableHash()
        for part in parts {
            for byte in part.utf8 { hash.combine(byte) }
            hash.combine(UInt8(0))
        }
        return hash.value
    }
}

/// The stored text: for each report the microseconds since the previous one and the identity, in base 36.
extension ReportedHooks {
    var stored: String {
        var before: Int64 = 0
        let parts = reports.map { report in
            defer { before = report.time.microseconds }
            return String(report.time.microseconds &- before, radix: 36) + ":" + String(report.identity, radix: 36)
        }
        return parts.joined(separator: " ")
    }

    /// Ignores parts that `stored` does not write.
    init(stored text: String) {
        var time: Int64 = 0
        for part in text.split(separator: " ") {
            let fields = part.split(separator: ":")
            guard fields.count == 2, let step = Int64(fields[0], radix: 36),
                let identity = UInt64(fields[1], radix: 36)
            else { continue }
            time &+= step
            reports.append(Report(identity: identity, time: Timestamp(microseconds: time)))
        }
    }
}
