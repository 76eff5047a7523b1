import EventModel
import Transcripts

/// What the transcript of a session has reported recently. A hook that arrives after the lines of its message does not
/// report the message again.
package struct ToldByTranscript: Sendable {
    /// The number of the session's events by which a hook may arrive after its lines.
    package static let window = 200

    /// The maximum number of marks of a session. Beyond it, the oldest transcript events are forgotten, and a later
    /// hook repeats them.
    static let maximumMarks = 1000

    /// With the number of the session's events since.
    private var growth: [(age: Int, marks: Set<MessageMark>)] = []

    var isEmpty: Bool { growth.isEmpty }
    /// Number of marks.
    var count: Int { growth.reduce(0) { $0 + $1.marks.count } }

    /// Adds the marks of an event before the next one, the oldest first.
    mutating func remember(_ marks: Set<MessageMark>, age: Int) {
        growth.append((age, marks))
        while count > ToldByTranscript.maximumMarks { growth.removeFirst() }
    }

    /// Processes the session's next event, which reports lines. Returns whether recent events have reported lines, too.
    @discardableResult mutating func grow(_ marks: Set<MessageMark>) -> Bool {
        pass()
        defer { remember(marks, age: 0) }
        return !growth.isEmpty
    }

    /// Processes the session's next event, and returns whether lines have already reported its message. A prompt begins
    /// another turn, so the answers before it do not belong to the end of that turn.
    mutating func hasTold(_ committed: CommittedEvent) -> Bool {
        pass()
        guard committed.event.facts.agentID == nil, ConversationMessage.hookTypes.contains(committed.event.type),
            let message = ConversationMessage(committed)
        else { return false }
        let isTold = message.marks.contains { mark in growth.contains { $0.marks.contains(mark) } }
        if committed.event.type == .prompt, !isTold {
            for index in growth.indices { growth[index].marks = growth[index].marks.filter { !$0.isAnswer } }
        }
        return isTold
    }

    private mutating func pass() {
        for index in growth.indices { growth[index].age += 1 }
        growth.removeAll { $0.age > ToldByTranscript.window }
    }
}
