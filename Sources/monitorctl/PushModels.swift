import Foundation

struct PushKeyCheck: Decodable {
    var verdict: String
    var message: String
}

struct PushTest: Decodable {
    var apnsIds: [String]
}

struct PushDecisions: Decodable {
    struct Delivery: Decodable {
        var deviceId: LooseText
        var tokenKind: String
        var apnsId: String
        var state: String
        var dueAt: String?
        var submissions: Int64?
        var level: String?
        var code: String?
        var reason: String?
        var status: Int64?
        var decidedAt: String?
    }

    struct Notice: Decodable {
        var kind: String
        var reminder: Bool?
        var eventId: String?
        var sessionId: String?
        var raisedAt: String
        var withdrawnAt: String?
        var withdrawnBecause: String?
        var deliveries: [Delivery]
    }

    var notices: [Notice]
    var remark: String?

    /// Whether a decision is still pending.
    var isOpen: Bool {
        notices.contains { $0.deliveries.contains { $0.state == "waiting" || $0.state == "claimed" } }
    }

    var isSent: Bool { notices.allSatisfy { $0.deliveries.allSatisfy { $0.state == "sent" } } }
}

/// Prints decisions as sentences.
enum PushPrinter {
    static func lines(_ decisions: PushDecisions) -> [String] {
        var lines = decisions.notices.flatMap(lines)
        if let remark = decisions.remark { lines.append(TerminalText.printable(remark)) }
        return lines.isEmpty ? ["Nothing was decided yet."] : lines
    }

    private static func lines(_ notice: PushDecisions.Notice) -> [String] {
        var head = notice.kind + (notice.reminder == true ? ", a reminder" : "") + ", raised \(notice.raisedAt)"
        if let because = notice.withdrawnBecause { head += ", withdrawn: \(words(because))" }
        let deliveries = notice.deliveries.map(line)
        let nobody = notice.withdrawnAt == nil ? "no device had registered for pushes" : "it ended at once"
        return [TerminalText.printable(head)] + (deliveries.isEmpty ? ["  for nobody: \(nobody)"] : deliveries)
    }

    private static func line(_ delivery: PushDecisions.Delivery) -> String {
        var line = "  device \(delivery.deviceId.text) (\(delivery.tokenKind)): \(delivery.state)"
        if let level = delivery.level, delivery.state == "sent" { line += " as \(level)" }
        if let due = delivery.dueAt { line += ", due again \(due)" }
        if let reason = delivery.reason {
            line += ": \(reason)"
        } else if let code = delivery.code {
            line += ": \(words(code))"
        }
        if let code = delivery.code, delivery.reason != nil { line += " [\(code)]" }
        return TerminalText.printable(line)
    }

    private static func words(_ code: String) -> String { code.replacingOccurrences(of: "_", with: " ") }
}
