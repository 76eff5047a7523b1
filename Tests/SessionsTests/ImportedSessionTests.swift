import EventModel
import Testing

@testable import Sessions

@Suite("Imported sessions")
struct ImportedSessionTests {
    /// Lines of a transcript.
    private static func lines(writtenAt second: Int64, receivedAt received: Int64, id: UInt64) -> MonitorEvent {
        var event = Story.event(.stop, at: second, id: id)
        (event.type, event.hookEventName) = (.transcript, nil)
        event.receivedAt = Story.time(received)
        var report = SessionReport()
        (report.isActivity, report.messages) = (true, 2)
        event.facts.report = report
        return event
    }

    private static let day: Int64 = 86_400

    @Test("a session that only an old transcript tells of has ended with its last line")
    func old() throws {
        let parts = [1, 2].map { Self.lines(writtenAt: $0, receivedAt: 2 + Self.day, id: UInt64($0)) }
        for order in [parts, parts.reversed()] {
            let story = Story(order)
            let session = try story.session
            #expect(session.status(now: Story.time(2 + Self.day)) == .ended)
            #expect((session.endedAt, session.endReason) == (Story.time(2), "imported"))
            #expect((session.state, session.stateSource, session.messageCount) == (.idle, .transcript, 4))
            #expect(SessionState(id: "s1", stored: story.fold.stored()) == story.fold)
        }
    }

    @Test("one that goes on, or whose hooks report it, has not")
    func alive() throws {
        let old = Self.lines(writtenAt: 1, receivedAt: 1 + Self.day, id: 1)
        let new = Self.lines(writtenAt: 1 + Self.day, receivedAt: 2 + Self.day, id: 2)
        let hook = Story.event(.sessionStart, at: 0, id: 3)
        for order in [[old, new], [new, old], [hook, old], [old, hook]] {
            #expect(try Story(order).session.endedAt == nil)
        }
        #expect(try Story([Self.lines(writtenAt: 1, receivedAt: Self.day, id: 1)]).session.endedAt == nil)
    }
}
