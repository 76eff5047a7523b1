import EventModel
import Transcripts

/// What the transcript of a session has told lately. A hook that comes later than the lines of its message does not
/// tell it again.
package struct ToldByTranscript: Sendable {
    /// Events of the session that a hook may come later than its lines.
    package static let window = 200

    /// Marks of a session. Beyond it the oldest events of transcripts are forgotten; a later hook then repeats them.
    static let maximumMarks = 1000

    /// With the number of the session's events since.
    private var growth: [(age: Int, marks: Set<MessageMark>)] = []

    var isEmpty: Bool { growth.isEmpty }
    /// Number of marks.
    var count: Int { growth.reduce(0) { $0 + $1.marks.count } }

    /// Takes what an event before the next one has told, the oldest first.
    mutating func remember(_ marks: Set<MessageMark>, age: Int) {
        growth.append((age, marks))
        while count > ToldByTranscript.maximumMarks { growth.removeFirst() }
    }

    /// Takes the session's next event, which tells of lines.
    mutating func grow(_ marks: Set<MessageMark>) {
        pass()
        remember(marks, age: 0)
    }

    /// Takes the session's next event, and returns whether lines have told its message. A prompt begins another turn:
    /// the answers before it are not those of its end.
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
