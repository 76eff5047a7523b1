import EventModel
import JSON

@testable import EventIngest
@testable import Notifications

/// 2026-01-05T10:00:00Z, a Monday.
let start = Timestamp(microseconds: 1_767_607_200_000_000)

func at(_ seconds: Double) -> Timestamp { start.adding(seconds: seconds) }

/// Hook events of one session as the database gives them back: with the facts that were read at the door.
struct Script {
    var sessionID = "0b0c9c6e-52a1-4d5e-9a51-3f5f6a1d2c30"
    private(set) var events: [CommittedEvent] = []

    init() {}

    /// - Parameters:
    ///   - seconds: when it happened, by the session's clock.
    ///   - received: when it arrived; `nil`: at once.
    ///   - fields: of the hook's JSON, without the braces.
    @discardableResult
    mutating func add(
        _ hook: String,
        _ seconds: Double,
        _ fields: String = "",
        tool: String? = nil,
        received: Double? = nil
    ) -> CommittedEvent {
        let seq = Int64(events.count + 1)
        let payload = Array("{\(fields)}".utf8)
        let facts = try? JSONParser().withDocument(payload) {
            HookFacts.facts(of: $0, event: HookEventName(hook), policy: .summary)
        }
        let event = MonitorEvent(
            id: EventID(high: 7, low: UInt64(seq)),
            type: EventType(HookEventName(hook)),
            hookEventName: HookEventName(hook),
            timestamp: at(seconds),
            receivedAt: at(received ?? seconds),
            machine: MachineID(rawValue: 1),
            machineName: "studio",
            sessionID: sessionID,
            projectPath: "/home/dev/shop",
            toolName: tool,
            summary: "\(hook) summary",
            payload: payload,
            facts: facts ?? SessionFacts()
        )
        let committed = CommittedEvent(seq: seq, event: event, workspaceID: "ws-1")
        events.append(committed)
        return committed
    }

    /// An event that is not a hook's.
    mutating func signal(_ type: EventType, _ seconds: Double) {
        add("Stop", seconds)
        events[events.count - 1] = events[events.count - 1].replacing {
            $0.type = type
            $0.hookEventName = nil
        }
    }

    mutating func prompt(_ seconds: Double, _ text: String = "fix it", id: String? = nil) {
        let idField = id.map { #","prompt_id":"\#($0)""# } ?? ""
        add("UserPromptSubmit", seconds, #""prompt":"\#(text)"\#(idField)"#)
    }

    mutating func stop(_ seconds: Double, _ fields: String = "") { add("Stop", seconds, fields) }

    mutating func tool(_ hook: String, _ seconds: Double, _ id: String?, _ input: String = "ls", more: String = "") {
        let idField = id.map { #""tool_use_id":"\#($0)","# } ?? ""
        add(hook, seconds, #"\#(idField)"tool_input":{"command":"\#(input)"}\#(more)"#, tool: "Bash")
    }

    mutating func ask(_ seconds: Double, _ input: String = "ls", more: String = "") {
        tool("PermissionRequest", seconds, nil, input, more: more)
    }

    /// A request that the machine's file tells no device of.
    mutating func askSilently(_ seconds: Double, _ input: String = "ls") {
        ask(seconds, input)
        events[events.count - 1] = events[events.count - 1].replacing { $0.facts.isSilent = true }
    }

    mutating func notify(_ type: String, _ seconds: Double, received: Double? = nil) {
        add("Notification", seconds, #""notification_type":"\#(type)""#, received: received)
    }

    /// As where contents are not stored.
    mutating func dropPayloads() {
        events = events.map { event in event.replacing { $0.payload = Array("{}".utf8) } }
    }

    /// Moves the last event of the script to another place in the log.
    mutating func reorder(_ order: [Int]) {
        events = order.enumerated().map { position, index in
            let (event, workspaceID) = (events[index].event, events[index].workspaceID)
            return CommittedEvent(seq: Int64(position + 1), event: event, workspaceID: workspaceID)
        }
    }

    var actions: [NotificationAction] {
        var detector = NotificationDetector()
        return events.flatMap { detector.take($0) }
    }
}

extension [NotificationAction] {
    var raised: [Notification] {
        compactMap { action in
            guard case .raise(let notice) = action else { return nil }
            return notice
        }
    }

    /// Without reminders and the starts and ends of sessions.
    var told: [Notification] {
        raised.filter { !$0.isReminder && $0.kind != .sessionStarted && $0.kind != .sessionEnded }
    }

    var confirmed: [String] {
        compactMap { action in
            guard case .confirm(let key) = action else { return nil }
            return key
        }
    }

    var withdrawn: [Withdrawal] {
        compactMap { action in
            guard case .withdraw(let withdrawal) = action else { return nil }
            return withdrawal
        }
    }

    var activities: [ActivityState] {
        compactMap { action in
            guard case .updateActivity(let state) = action else { return nil }
            return state
        }
    }
}

func notice(
    _ kind: NotificationKind,
    raised: Double = 0,
    session: String = "s1",
    isReminder: Bool = false,
    details: NotificationDetails = NotificationDetails()
) -> Notification {
    Notification(
        key: "\(kind.rawValue):1",
        kind: kind,
        promptKey: kind.isPrompt ? "p:1" : nil,
        isReminder: isReminder,
        place: NotificationPlace(sessionID: session, workspaceID: "ws-1", machineName: "studio", projectName: "shop"),
        seq: 9,
        raisedAt: at(raised),
        notBefore: at(raised),
        expiresAt: at(raised).adding(seconds: kind.lifetimeSeconds),
        collapseID: NotificationNames.collapseID(kind, session: session),
        details: details
    )
}

func parse(_ bytes: [UInt8]) -> JSONValue { (try? JSONValue.parse(bytes)) ?? .null }

/// A generator whose numbers follow from its seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
