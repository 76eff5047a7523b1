import EventModel
import Testing

@testable import Sessions

@Suite("Session clock")
struct SessionClockTests {
    private static let day = -86_400.0

    /// The times that the clock gives to events of these times of sending and receipt.
    private func times(_ events: [(sent: Double, received: Double)]) -> [Double] {
        var clock = SessionClock()
        return events.map { sent, received in
            let event = Hooks.event("Stop", sent, delay: received - sent).event
            return clock.time(of: event).seconds(since: Hooks.time(0))
        }
    }

    @Test("events that were spooled keep the machine's time")
    func late() {
        #expect(times([(90_000, 90_000), (10, 90_001), (90_002, 90_002)]) == [90_000, 10, 90_002])
    }

    @Test("several servers' clocks may differ")
    func skew() {
        #expect(times([(300, 300), (0, 0)]) == [300, 0])
    }

    @Test("an event follows those before it although the server's clock was set back")
    func setBack() {
        let found = times([(100, 100), (101, 101 + Self.day), (102, 102 + Self.day), (200, 200)])
        #expect(found == [100, 100.000001, 100.000002, 200])
    }

    @Test("a session without machine times goes on although the server's clock was set back")
    func setBackWithoutMachineTime() {
        #expect(times([(86_500, 86_500), (101, 101), (102, 102)]) == [86_500, 86_500.000001, 86_500.000002])
    }

    @Test("the server's own events do not move the clock")
    func ownEvents() {
        var clock = SessionClock()
        let hook = Hooks.event("Stop", 100).event
        var own = Hooks.event("Stop", 400_000).event
        own.hookEventName = nil
        _ = (clock.time(of: hook), clock.time(of: own))
        let ahead = Hooks.event("Stop", 101, delay: Self.day).event
        #expect(clock.time(of: ahead).seconds(since: Hooks.time(100)) == 0.000001)
    }

    @Test("a prompt is asked and answered although the server's clock was set back before it")
    func promptAfterSetBack() {
        var hooks = Hooks()
        hooks.add("PostToolBatch", 100)
        let opened = hooks.add("PermissionRequest", 101, Hooks.toolInput, tool: "Bash", delay: Self.day)
        #expect(opened.opened != nil)
        #expect(hooks.state.session?.state == .waiting)
        let closed = hooks.add("PostToolUse", 105, Hooks.toolInput, tool: "Bash", delay: Self.day).closed
        #expect(closed.map(\.state) == [.answered])
        hooks.add("Stop", 106, delay: Self.day)
        #expect(hooks.state.session?.state == .idle)
    }

    @Test("a call's result ends its prompt although the server's clock was set back between them")
    func promptAcrossSetBack() {
        var hooks = Hooks()
        hooks.ask(100, id: "t1")
        let closed = hooks.add("PostToolUse", 105, #""tool_use_id":"t1""#, tool: "Bash", delay: Self.day).closed
        #expect(closed.map(\.state) == [.answered])
    }

    @Test("the clock survives a restart")
    func stored() throws {
        var hooks = Hooks()
        hooks.add("PostToolBatch", 100)
        let stored = try #require(SessionState(id: "s1", stored: hooks.state.stored()))
        #expect(stored == hooks.state)
        #expect(stored.prompts.clock.latest == Hooks.time(100))
    }
}
