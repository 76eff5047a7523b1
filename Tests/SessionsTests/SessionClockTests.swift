import EventModel
import Testing

@testable import Sessions

@Suite("Session clock")
struct SessionClockTests {
    private static let day = -86_400.0

    /// The times that the clock gives to a hook's events, sent at these times and received so many seconds later.
    private func times(_ events: [(sent: Double, delay: Double)]) -> [Double] {
        var clock = SessionClock()
        return events.map { sent, delay in
            clock.time(of: Hooks.event("Stop", sent, delay: delay).event).seconds(since: Hooks.time(0))
        }
    }

    @Test("events that were spooled keep the machine's time")
    func spooled() {
        #expect(times([(90_000, 0), (10, 89_991), (90_002, 0)]) == [90_000, 10, 90_002])
    }

    @Test("a machine that is far ahead has the times of receipt")
    func machineAhead() {
        #expect(times([(90_000, -90_000), (90_001, -90_000), (90_000.5, -90_000)]) == [0, 1, 0.5])
    }

    @Test("a machine whose clock is set ahead has the times of receipt from then on, from any server")
    func machineSetAhead() {
        #expect(times([(0, 0.1), (1e6, -1e6 + 1), (1e6 + 1, -1e6 + 0.9)]) == [0, 1, 1.9])
        #expect(times([(0, 0.5), (1e6, -1e6), (1e6 + 1, -1e6 + 1)]) == [0, 0, 2])
    }

    @Test("the machine's times go on while the server's clock is behind", arguments: [-310.0, -3_600, day])
    func serverSetBack(by seconds: Double) {
        let behind: [(sent: Double, delay: Double)] = [(101, seconds), (102, seconds + 0.2), (4_000, seconds)]
        let found = times([(100, 0.1)] + behind + [(4_001, 0.1), (4_002, 0.1)])
        #expect(found == [100, 101, 102, 4_000, 4_001, 4_002])
    }

    @Test("the server's clock may be set back twice, and the machine's set ahead meanwhile")
    func setBackTwice() {
        let found = times([(100, 0.1), (101, Self.day), (102, 2 * Self.day), (1e6, 2 * Self.day - 1e6 + 103)])
        #expect(found == [100, 101, 102, 103 + 2 * Self.day])
    }

    @Test("the server's own events have the time of the machine while the server's clock is behind")
    func ownEvents() {
        var clock = SessionClock()
        func time(_ sent: Double, _ delay: Double, isOwn: Bool) -> Double {
            var event = Hooks.event("Stop", sent, delay: delay).event
            if isOwn { event.hookEventName = nil }
            return clock.time(of: event).seconds(since: Hooks.time(0))
        }
        #expect(time(100, 0, isOwn: false) == 100)
        #expect(time(400_000, 0, isOwn: true) == 400_000)
        #expect(time(101, Self.day, isOwn: false) == 101)
        #expect(time(103 + Self.day, 0, isOwn: true) == 103)
        #expect(time(104, 0.1, isOwn: false) == 104)
        #expect(time(105, 0, isOwn: true) == 105)
    }

    @Test("a prompt is asked and answered although the server's clock was set back before it")
    func promptAfterSetBack() {
        var hooks = Hooks()
        hooks.add("PostToolBatch", 100)
        let opened = hooks.add("PermissionRequest", 100.5, Hooks.toolInput, tool: "Bash", delay: Self.day)
        #expect(opened.opened?.openedAt == Hooks.time(100.5))
        #expect(hooks.state.session?.state == .waiting)
        let closed = hooks.add("PostToolUse", 105, Hooks.toolInput, tool: "Bash", delay: Self.day).closed
        #expect(closed.map(\.answeredBy) == [.terminal])
        hooks.add("Stop", 106, delay: Self.day)
        #expect(hooks.state.session?.state == .idle)
    }

    @Test("a call's result ends its prompt although the server's clock was set back between them")
    func promptAcrossSetBack() {
        var hooks = Hooks()
        hooks.ask(100, id: "t1")
        let closed = hooks.add("PostToolUse", 105, #""tool_use_id":"t1""#, tool: "Bash", delay: Self.day).closed
        #expect(closed.map(\.answeredBy) == [.terminal])
    }

    @Test("the clock survives a restart")
    func stored() throws {
        var hooks = Hooks()
        hooks.add("PostToolBatch", 100)
        hooks.add("PostToolBatch", 101, delay: Self.day)
        let stored = try #require(SessionState(id: "s1", stored: hooks.state.stored()))
        #expect(stored == hooks.state)
        #expect(stored.prompts.clock.serverIsBehind == -Self.day)
    }
}
