import EventModel
import Testing

@testable import Messages

@Suite("Requests that wait for messages")
struct WaiterTableTests {
    private let machine = MachineID(rawValue: 1)

    @Test("a message wakes the requests that wait for its session, once")
    func notified() {
        var table = WaiterTable<String>()
        let waits = [
            table.wait(for: "s", since: 0, "first"), table.wait(for: "s", since: 0, "second"),
            table.wait(for: "other", since: 0, "third"),
        ]
        #expect(Set(waits.compactMap(\.self)).count == 3)
        let woken = table.notify("s")
        #expect(woken.sorted() == ["first", "second"] && table.sessions == ["other"])
        let again = table.notify("s")
        #expect(again.isEmpty)
    }

    @Test("a message that arrives while a request looks for one is not missed")
    func generations() {
        var table = WaiterTable<String>()
        let before = table.generation(of: "s")
        _ = table.notify("s")
        let number = table.wait(for: "s", since: before, "late")
        #expect(number == nil && table.sessions.isEmpty)
    }

    @Test("a request that gave up is not woken")
    func cancelled() throws {
        var table = WaiterTable<String>()
        let number = table.wait(for: "s", since: 0, "first")
        table.stopWaiting(try #require(number), for: "s")
        let woken = table.notify("s")
        #expect(woken.isEmpty && table.sessions.isEmpty)
    }

    @Test("the first event of a session wakes the requests that came before it")
    func began() {
        var table = WaiterTable<String>()
        #expect(!table.isExpecting)
        let number = table.expect("s", on: machine, hasSocket: true)
        _ = table.wait(for: "s", since: 0, "first")
        _ = table.wait(for: "other", since: 0, "other")
        let woken = table.began(["other", "s"])
        #expect(table.isExpecting && table.expected == ["s"] && woken == ["first"])
        table.stopExpecting("s", number)
        #expect(!table.isExpecting)
    }

    @Test("a request before the first event says whether there is a socket, for its own machine")
    func sockets() {
        var table = WaiterTable<String>()
        let without = table.expect("s", on: machine, hasSocket: false)
        #expect(table.hasSocket("s", on: machine) == false)
        _ = table.expect("s", on: machine, hasSocket: true)
        #expect(table.hasSocket("s", on: machine) == true)
        table.stopExpecting("s", without)
        #expect(table.hasSocket("s", on: MachineID(rawValue: 2)) == nil && table.hasSocket("t", on: machine) == nil)
    }
}
