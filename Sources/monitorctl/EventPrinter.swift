import Foundation

/// Prints one event per line: the server's JSON for programs, fixed columns for people.
struct EventPrinter {
    var json: Bool
    var style: TerminalStyle

    func show(_ event: [UInt8]) throws {
        if json { return try Output.bytes(TerminalJSON.printable(event) + [UInt8(ascii: "\n")]) }
        try Output.line(line(try ServerJSON.decode(EventLine.self, Data(event))))
    }

    func line(_ event: EventLine) -> String {
        let fixed: [(text: String, width: Int, colour: TerminalStyle.Colour?)] = [
            (Moments.clock(event.timestamp), 8, .dim),
            (event.machineName ?? event.machineId?.text ?? "-", 14, nil),
            (String((event.sessionId ?? "-").prefix(8)), 8, .dim),
            (event.type ?? "-", 18, colour(of: event.type)),
        ]
        var text = ""
        for part in fixed {
            let cut = TerminalText.cut(TerminalText.printable(part.text), to: part.width)
            text += style.apply(part.colour, to: cut)
            text += String(repeating: " ", count: part.width - TerminalText.width(cut) + 2)
        }
        let tool = event.toolName.map { $0 + ": " } ?? ""
        let rest = TerminalText.printable(tool + (event.summary ?? ""))
        guard let width = style.width else { return text + rest }
        let used = fixed.reduce(0) { $0 + $1.width + 2 }
        return text + TerminalText.cut(rest, to: max(8, width - used))
    }

    private func colour(of type: String?) -> TerminalStyle.Colour? {
        switch type {
        case "session_start", "session_end": .green
        case "prompt": .cyan
        case "notification", "permission_request": .yellow
        case .some(let type) where type.hasSuffix("failure"): .red
        default: nil
        }
    }
}
