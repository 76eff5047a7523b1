import EventModel
import HTTPModel
import Sessions
import Testing

@testable import Prompts

struct HoldTableTests {
    private func time(_ seconds: Double) -> Timestamp { Timestamp(microseconds: Int64(seconds * 1_000_000)) }

    private func hold(_ id: String, machine: Int64 = 1, until: Double = 100, bytes: Int = 10) -> Hold {
        Hold(
            key: HoldKey(machine: MachineID(rawValue: machine), id: id),
            requestID: "prm_\(id)",
            policy: HoldPolicy(""),
            content: HeldContent(sent: [UInt8](repeating: 0x20, count: bytes), shown: nil),
            until: time(until)
        )
    }

    private func answer(_ id: String, device: String? = nil) -> PromptAnswer {
        PromptAnswer(id: id, decision: .deny, answerer: .device, deviceID: device, at: time(0))
    }

    private func number(_ opening: HoldTable<String>.Opening) -> UInt64? {
        guard case .waiting(let poll, _) = opening else { return nil }
        return poll
    }

    @Test("an answer goes to the open request, and a hold without one keeps waiting for the next")
    func polls() throws {
        var table = HoldTable<String>()
        let first = hold("a")
        let poll = try #require(number(table.open(first, reply: "first")))
        table.bind(first.key, to: "prm_x")
        #expect(table.awaitedPrompts == ["prm_x"])
        let wasCurrent = table.pollEnded(first.key, poll, now: time(1))
        let replies = table.takeReplies(of: "prm_x", for: answer("1"), now: time(1)).map(\.reply)
        #expect(wasCurrent == "first" && replies.isEmpty && table.awaitedPrompts.isEmpty)
        guard case .waiting(let second, nil) = table.open(first, reply: "second") else {
            Issue.record("the hold was refused")
            return
        }
        let isOldCurrent = table.pollEnded(first.key, poll, now: time(2))
        // It is the same hold of the same request: its prompt is known.
        let later = table.takeReplies(of: "prm_x", for: answer("1"), now: time(2)).map(\.reply)
        let isAnsweredCurrent = table.pollEnded(first.key, second, now: time(2))
        #expect(isOldCurrent == nil && later == ["second"] && isAnsweredCurrent == nil)
    }

    @Test("a decision is sent only for the answer that was judged, and is forgotten with the content")
    func judged() {
        var table = HoldTable<String>()
        let held = hold("a")
        _ = table.open(held, reply: "1")
        table.bind(held.key, to: "prm_x")
        table.note(.deny(message: "no", isInterrupt: false), for: answer("1", device: "3"), of: held.key)
        for other in [answer("2", device: "3"), answer("1", device: "4"), answer("1")] {
            _ = table.open(held, reply: "1")
            #expect(table.takeReplies(of: "prm_x", for: other, now: time(1)).map(\.decision) == [nil])
        }
        _ = table.open(held, reply: "2")
        let taken = table.takeReplies(of: "prm_x", for: answer("1", device: "3"), now: time(1))
        #expect(taken.map(\.decision) == [.deny(message: "no", isInterrupt: false)] && taken.map(\.reply) == ["2"])
        _ = table.open(hold("a", bytes: 11), reply: "3")
        #expect(table.takeReplies(of: "prm_x", for: answer("1", device: "3"), now: time(1)).map(\.decision) == [nil])
    }

    @Test("a newer request replaces an older one that is still open")
    func replaced() {
        var table = HoldTable<String>()
        _ = table.open(hold("a"), reply: "old")
        guard case .waiting(_, let replaced) = table.open(hold("a"), reply: "new") else {
            Issue.record("the hold was refused")
            return
        }
        #expect(replaced == "old" && table.count == 1)
    }

    @Test("holds whose prompt is not known are told, without an open request too")
    func unbound() throws {
        var table = HoldTable<String>()
        let (open, idle, bound) = (hold("a"), hold("b"), hold("c"))
        _ = table.open(open, reply: "open")
        let poll = try #require(number(table.open(idle, reply: "idle")))
        table.pollEnded(idle.key, poll, now: time(1))
        _ = table.open(bound, reply: "bound")
        table.bind(bound.key, to: "prm_x")
        #expect(table.unboundRequests == [open.key: "prm_a", idle.key: "prm_b"])
        #expect(table.unbound.map(\.key) == [open.key])
    }

    @Test("a hold ends with its time, or a while after its connection was lost")
    func expiry() throws {
        var table = HoldTable<String>()
        let (short, lost) = (hold("a", until: 10), hold("b", until: 1000))
        _ = table.open(short, reply: "short")
        let poll = try #require(number(table.open(lost, reply: "lost")))
        table.pollEnded(lost.key, poll, now: time(5))
        let expired = [9, 10, 64, 65].map { seconds in table.expire(now: time(seconds)).map(\.reply) }
        #expect(expired == [[], ["short"], [], [nil]])
        #expect(table.count == 0 && table.bytes == 0)
    }

    @Test("several hooks may wait for one prompt; another machine's hold of the same id is another hold")
    func sharing() {
        var table = HoldTable<String>()
        for (machine, id) in [(1, "a"), (1, "b"), (2, "a")] {
            let hold = hold(id, machine: Int64(machine))
            _ = table.open(hold, reply: "\(machine)\(id)")
            table.bind(hold.key, to: machine == 1 ? "prm_x" : "prm_y")
        }
        let removed = Set(table.removeAll(of: "prm_x").compactMap(\.reply))
        #expect(removed == ["1a", "1b"])
        #expect(table.count == 1 && table.hold(of: "prm_x") == nil && table.hold(of: "prm_y") != nil)
    }

    @Test("the table is bounded in bytes, and a refused hold leaves nothing behind")
    func bounds() {
        var table = HoldTable<String>()
        _ = table.open(hold("a", bytes: HoldTable<String>.maximumBytes - 5), reply: "a")
        guard case .full = table.open(hold("b", bytes: 6), reply: "b") else {
            Issue.record("the hold was not refused")
            return
        }
        #expect(table.count == 1 && table.bytes == HoldTable<String>.maximumBytes - 5)
        _ = table.remove(hold("a").key)
        #expect(table.bytes == 0)
    }

    @Test("one machine's holds leave room for those of others, and a repeated request keeps its room")
    func shares() {
        var table = HoldTable<String>(bytes: 1000, holds: 100)
        let flood = (0..<40).filter { number(table.open(hold("a\($0)", bytes: 50), reply: "a")) != nil }
        #expect(flood.count == 10)
        for machine in 2...4 {
            #expect(number(table.open(hold("b", machine: Int64(machine), bytes: 50), reply: "b")) != nil)
        }
        #expect(number(table.open(hold("a0", bytes: 50), reply: "again")) != nil)
        #expect(number(table.open(hold("a0", bytes: 51), reply: "larger")) == nil)
        #expect(table.bytes == 650 && table.count == 13)
    }

    @Test("one machine may have half of the number of holds")
    func sharesOfNumber() {
        var table = HoldTable<String>(bytes: 1 << 20, holds: 20)
        let flood = (0..<40).filter { number(table.open(hold("a\($0)"), reply: "a")) != nil }
        #expect(flood.count == 10)
        #expect(number(table.open(hold("b", machine: 2), reply: "b")) != nil)
    }

    @Test("the headers of a hook that waits")
    func headers() throws {
        let id = "0190B7C4-0000-7000-8000-000000000001"
        let request = try HoldRequest(["x-hold-id": id, "x-hold-seconds": "3600", "x-hold-policy": "always=yes"])
        #expect(request.id == id.lowercased() && request.seconds == 3600 && request.policy.terms.allowsAlways)
        #expect(request.waitSeconds == 50)
        for headers: HTTPHeaders in [
            [:], ["x-hold-id": id], ["x-hold-id": "x", "x-hold-seconds": "10"],
            ["x-hold-id": id, "x-hold-seconds": "0"], ["x-hold-id": id, "x-hold-seconds": "1e3"],
        ] {
            #expect(throws: APIError.self) { _ = try HoldRequest(headers) }
        }
    }
}
