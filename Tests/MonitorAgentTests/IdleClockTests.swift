import MachinePolicy
import Testing

@testable import MonitorAgent

@Suite("Idle sessions, and what allow writes")
struct IdleClockTests {
    @Test("a session is due after its time, and again after the same time")
    func due() {
        var clock = IdleClock()
        clock.update(["a"], now: 10) { 30 }
        #expect(clock.takeDue(now: 39.9).isEmpty && clock.deadline == 40)
        clock.update(["a", "b"], now: 20) { 30 }
        #expect(clock.takeDue(now: 40) == ["a"])
        #expect(clock.takeDue(now: 49).isEmpty)
        #expect(clock.takeDue(now: 50) == ["b"])
        #expect(clock.takeDue(now: 70) == ["a"])
    }

    @Test("work begins the time anew")
    func busy() {
        var clock = IdleClock()
        clock.update(["a"], now: 0) { 30 }
        clock.update([], now: 20) { 30 }
        #expect(clock.deadline == nil)
        clock.update(["a"], now: 25) { 30 }
        #expect(clock.takeDue(now: 54).isEmpty && clock.takeDue(now: 55) == ["a"])
    }

    @Test("the file is read when a session becomes idle, and each minute")
    func reading() {
        var clock = IdleClock()
        var reads = 0
        func read() -> Int? {
            reads += 1
            return nil
        }
        clock.update([], now: 0, read: read)
        #expect(reads == 0)
        clock.update(["a"], now: 1, read: read)
        clock.update(["a"], now: 2, read: read)
        #expect(reads == 1 && clock.takeDue(now: 1e9).isEmpty && clock.deadline == 61)
        clock.update(["a"], now: 61, read: read)
        #expect(reads == 2)
    }

    @Test("a line is added once, and the file stays valid")
    func lines() {
        let text = Array("control=on\nroots=/a trust=/t".utf8)
        let file = AgentFile(text, home: "/h")
        #expect(AllowPlan.line("/a", trusts: false, file) == nil && AllowPlan.line("/t", trusts: true, file) == nil)
        #expect(AllowPlan.line("/a", trusts: true, file) == "trust=/a")
        let line = AllowPlan.line("/b c", trusts: false, file) ?? ""
        #expect(line == "roots=\"/b c\"")
        let wider = AgentFile(AllowPlan.text(text, with: line), home: "/h")
        #expect(wider.roots.map(\.path) == ["/a", "/b c"] && wider.roots.allSatisfy(\.allowance.control))
    }
}
