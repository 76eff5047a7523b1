import EventModel
import Testing

@testable import Notifications

struct SignalNoticeTests {
    @Test("an interruption and the end of the process withdraw what was asked", arguments: [true, false])
    func signals(isGone: Bool) throws {
        var script = Script()
        script.prompt(0)
        script.ask(10)
        script.signal(isGone ? .sessionGone : .sessionInterrupted, 20)
        let withdrawn = script.actions.withdrawn
        #expect(withdrawn.map(\.reason) == [isGone ? .sessionEnded : .turnWentOn])
        #expect(withdrawn.first?.resolved?.details.pending == 0)
        #expect(script.actions.activities.last?.phase == (isGone ? .ended : .idle))
    }
}
