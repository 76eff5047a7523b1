import EventModel
import JSON
import Testing

@testable import RPC

@Suite("A session that calls")
struct SessionCallTests {
    /// Two sessions whose messages reach each other.
    private struct Pair {
        var one = SampleHost.session()
        var other = SampleHost.session()
        private(set) var outcomes: [RPCCallID: RPCOutcome] = [:]

        /// Delivers the messages of `one` to `other` and back until there are none.
        mutating func carry(_ output: RPCOutput<SampleHost>, fromOne: Bool) async {
            for (call, outcome) in output.outcomes { outcomes[call] = outcome }
            for message in output.messages {
                let context = SampleHost.Context()
                let answer = fromOne ? other.receive(message, in: context) : one.receive(message, in: context)
                await carry(answer, fromOne: !fromOne)
                for task in answer.tasks {
                    let result = await task.run(with: 10)
                    let finished = fromOne ? other.finish(task.token, result) : one.finish(task.token, result)
                    await carry(finished, fromOne: !fromOne)
                }
            }
        }
    }

    private let soon = start.adding(seconds: 5)

    @Test("two sessions serve each other's calls over one connection, immediate and deferred ones")
    func bothDirections() async throws {
        var pair = Pair()
        let (there, output) = try pair.one.call("count", deadline: soon) { $0.field("by", 7) }
        await pair.carry(output, fromOne: true)
        #expect(pair.outcomes[there] == .completed(.object([("count", .integer(7))])))
        let (back, asked) = try pair.other.call("thing/list", deadline: soon)
        await pair.carry(asked, fromOne: false)
        #expect(pair.outcomes[back] == .completed(.object([("sum", .integer(10))])))
        #expect(pair.one.state == 0 && pair.other.state == 7)
    }

    @Test("the other end's refusal is the call's failure")
    func failed() async throws {
        var pair = Pair()
        let (call, output) = try pair.one.call("no/such", deadline: soon)
        await pair.carry(output, fromOne: true)
        #expect(pair.outcomes[call] == .failed(.methodNotFound()))
    }

    @Test("a call without an answer times out once, and a late answer is passed over")
    func timedOut() throws {
        var (one, other) = (SampleHost.session(), SampleHost.session())
        let (call, output) = try one.call("ping", deadline: soon)
        #expect(one.tick(now: start).isEmpty)
        let late = one.tick(now: soon)
        #expect(late.outcomes.map(\.call) == [call] && late.outcomes.map(\.outcome) == [.timedOut])
        #expect(one.tick(now: soon).isEmpty)
        let answer = try #require(other.receive(output.messages[0], in: SampleHost.Context()).messages.first)
        #expect(one.receive(answer, in: SampleHost.Context()).isEmpty)
    }

    @Test("the end of the conversation ends the calls, in their order, and refuses further ones")
    func ended() throws {
        var session = SampleHost.session()
        let calls = try (0..<3).map { _ in try session.call("ping", deadline: soon).call }
        let end = session.end()
        #expect(end.outcomes.map(\.call) == calls && end.outcomes.allSatisfy { $0.outcome == .ended })
        #expect(session.end().isEmpty)
        #expect(throws: RPCError.disconnected()) { try session.call("ping", deadline: soon) }
        #expect(session.hear(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).isEmpty)
    }

    @Test("more calls than the bound are refused until one has ended")
    func bound() throws {
        var session = SampleHost.session { $0.pending = 1 }
        _ = try session.call("ping", deadline: soon)
        #expect(throws: RPCError.busy()) { try session.call("ping", deadline: soon) }
        #expect(session.tick(now: soon).outcomes.count == 1)
        _ = try session.call("ping", deadline: soon)
    }
}
