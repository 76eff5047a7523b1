internal import EventModel
package import JSON

/// The messages among a transcript's new lines, in the order of the file.
package struct GrownMessages: Sendable {
    package struct Line: Sendable {
        package var json: JSONValue
        /// The message that ends with this line, without the parts that hooks have reported before.
        package var message: ConversationMessage?
        /// The same message with those parts.
        package var whole: ConversationMessage?
    }

    package private(set) var lines: [Line] = []
    /// Size of the stored lines.
    package private(set) var bytes = 0

    package init() {}

    /// - Parameter told: what hooks have reported before.
    init(_ stored: [(place: ConversationPlace, line: [UInt8])], told: ToldByHooks) {
        var pending: [JSONValue] = []
        var start: ConversationPlace?
        let parsed = stored.map { (place: $0.place, json: (try? JSONValue.parse($0.line, maxDepth: 220)) ?? .null) }
        for (index, line) in parsed.enumerated() {
            bytes += stored[index].line.count
            pending.append(line.json)
            start = start ?? line.place
            // The lines of one answer are the blocks of one message.
            let id = GrownMessages.messageID(line.json)
            let goesOn = id != nil && index + 1 < parsed.count && GrownMessages.messageID(parsed[index + 1].json) == id
            var whole: ConversationMessage?
            if !goesOn {
                whole = start.flatMap { ConversationMessage(place: $0, lines: pending) }
                (pending, start) = ([], nil)
            }
            lines.append(Line(json: line.json, message: whole.flatMap(told.rest(of:)), whole: whole))
        }
    }

    private static func messageID(_ line: JSONValue) -> String? {
        line["type"]?.string == "assistant" ? line["message"]?["id"]?.string : nil
    }
}

/// What hooks have reported of a conversation before a place in the log.
struct ToldByHooks {
    var marks: Set<MessageMark> = []
    /// Whether there were more hook events than were read. If so, everything that hooks can report counts as reported.
    var isCut = false

    init() {}

    /// - Parameter events: hook events of the session.
    init(_ events: [CommittedEvent], isCut: Bool) {
        marks = Set(
            events.lazy.filter { $0.event.facts.agentID == nil }.compactMap { ConversationMessage($0) }.flatMap(\.marks)
        )
        self.isCut = isCut
    }

    /// Returns the message without blocks that hooks have reported and without empty blocks; `nil` if nothing is left.
    func rest(of message: ConversationMessage) -> ConversationMessage? {
        var rest = message
        rest.blocks = message.blocks.filter { block in
            switch block {
            case .text(let text), .thinking(let text): if text.isEmpty { return false }
            default: break
            }
            guard let mark = MessageMark(block, of: message) else { return true }
            return !isCut && !marks.contains(mark)
        }
        return rest.blocks.isEmpty ? nil : rest
    }
}
