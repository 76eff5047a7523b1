import DatabaseSamples
import EventModel
import Persistence
import Synchronization
import Testing

@testable import Tools

/// Calls whose clients stay away, with a clock that stands still until a test moves it.
@Suite struct ClientAbsencesTests {
    private final class Hands: Sendable {
        let now = Mutex(Timestamp(microseconds: 1_000_000_000_000_000))
        let pauses = Mutex<[Double]>([])
        let withdrawn = Mutex<[String]>([])

        func pass(_ seconds: Double) { now.withLock { $0 = $0.adding(seconds: seconds) } }
    }

    private let store: TestStore
    private let hands = Hands()

    init() throws { store = try TestStore() }

    /// - Parameter meanwhile: happens in each pause, at its beginning.
    private func absences(_ meanwhile: @escaping @Sendable (Double) async -> Void = { _ in }) -> ClientAbsences {
        ClientAbsences(
            database: store,
            clock: { [hands] in hands.now.withLock { $0 } },
            pause: { [hands] seconds in
                hands.pauses.withLock { $0.append(seconds) }
                await meanwhile(seconds)
                hands.pass(seconds)
            },
            withdraw: { [hands] call in hands.withdrawn.withLock { $0.append(call) } }
        )
    }

    private func begin(_ state: ToolCall.State = .waiting) async throws {
        let now = hands.now.withLock { $0 }
        let call = ToolCall(
            id: "call",
            caller: "api_key:1",
            machine: .monitor,
            machineName: "",
            serverID: "mcp_x",
            server: "x",
            tool: "y",
            digest: "",
            argumentsDigest: "",
            state: .waiting,
            createdAt: now,
            expiresAt: now.adding(seconds: 3600)
        )
        #expect(try await store.store().begin(call, nil))
        guard state != .waiting else { return }
        try store.database.execute("UPDATE tool_calls SET state = '\(state.rawValue)'")
    }

    private func call() async throws -> ToolCall { try #require(try await store.store().toolCall("call")) }

    @Test func aClientThatStaysAwayEndsTheQuestion() async throws {
        try await begin()
        let absences = absences { [store, hands] _ in
            // Until the whole time has passed the call waits.
            #expect(try! await store.store().toolCall("call")?.state == .waiting)
            #expect(hands.withdrawn.withLock { $0 } == [])
        }
        let departure = hands.now.withLock { $0 }
        await absences.left("call", at: departure)
        #expect(hands.pauses.withLock { $0 } == [65])
        #expect(hands.withdrawn.withLock { $0 } == ["call"])
        let call = try await call()
        #expect((call.state, call.code, call.status) == (.expired, "caller_gone", 403))
        #expect(call.endedAt == departure.adding(seconds: 65))
    }

    @Test func aClientThatComesBackKeepsIt() async throws {
        try await begin()
        let departure = hands.now.withLock { $0 }
        let returning = absences()
        let absences = absences { [hands] _ in
            hands.pass(64)
            await returning.returned(to: "call")
        }
        await absences.left("call", at: departure)
        #expect(hands.withdrawn.withLock { $0 } == [])
        #expect(try await call().state == .waiting)
    }

    @Test func aClientThatCameBackAndLeftAgainHasTheWholeTimeAgain() async throws {
        try await begin()
        let first = hands.now.withLock { $0 }
        let before = absences()
        await before.returned(to: "call")
        hands.pass(1)
        await absences().left("call", at: hands.now.withLock { $0 })
        #expect(try await call().state == .expired)
        #expect(try await call().endedAt == first.adding(seconds: 66))
    }

    @Test(arguments: [ToolCall.State.running, .completed, .denied])
    func whatRunsOrHasEndedStays(state: ToolCall.State) async throws {
        try await begin(state)
        await absences().left("call", at: hands.now.withLock { $0 })
        #expect(hands.withdrawn.withLock { $0 } == [])
        #expect(try await call().state == state)
    }
}
