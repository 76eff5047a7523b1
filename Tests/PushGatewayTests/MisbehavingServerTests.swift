import EventModel
import Synchronization
import Testing

@testable import PushGateway

/// A server that does anything it likes, by a seed, until its mischief is spent; then it behaves.
final class Mischief: Sendable {
    private struct State {
        var random: SeededGenerator
        var left: Int
    }

    private let state: Mutex<State>

    init(seed: UInt64, count: Int) {
        state = Mutex(State(random: SeededGenerator(seed), left: count))
    }

    func steps(for request: MockRequest) -> [MockStep] {
        state.withLock { state in
            guard state.left > 0, Int.random(in: 0..<3, using: &state.random) == 0 else { return [.ok] }
            state.left -= 1
            switch Int.random(in: 0..<15, using: &state.random) {
            case 0, 1: return [.reset(7)]
            case 2: return [.reset(2)]
            case 3: return [.goAway(takesThis: false)]
            case 4: return [.goAway(takesThis: true, debug: #"{"reason":"Shutdown"}"#), .ok]
            case 5: return [.disconnect()]
            case 6: return [.disconnect(abrupt: true)]
            case 7: return [.ok, .disconnect()]
            case 8: return [.hold]
            case 9: return [.streamLimit(UInt32.random(in: 1...5, using: &state.random)), .ok]
            case 10: return [.error(503, "Shutdown")]
            case 11: return [.error(500, "InternalServerError")]
            case 12: return [.error(429, "TooManyRequests")]
            case 13: return [.interim, .error(400, "BadDeviceToken")]
            default: return [.unfinished(200), .goAway(takesThis: true)]
            }
        }
    }
}

/// How often each push ended.
private final class Endings: Sendable {
    private let outcomes = Mutex<[String: [PushOutcome]]>([:])

    func note(_ id: String, _ outcome: PushOutcome) { outcomes.withLock { $0[id, default: []].append(outcome) } }

    var all: [String: [PushOutcome]] { outcomes.withLock { $0 } }
}

@Suite("A server that misbehaves at random", .timeLimit(.minutes(5)))
struct MisbehavingServerTests {
    private static let pushes = 60

    @Test("every push ends once, none is sent too often, no limit is broken", arguments: 1...16)
    func property(seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        let mischief = Mischief(seed: seed &+ 1000, count: 25)
        var script = MockScript()
        script.provenStreamLimit = UInt32.random(in: 1...20, using: &random)
        script.initialStreamLimit = Bool.random(using: &random) ? 1 : nil
        script.reply = { mischief.steps(for: $0) }
        let connections = Int.random(in: 1...3, using: &random)
        let fixture = try Fixture(script, checksTokens: true) { configuration, _ in
            configuration.maxConnections = connections
            configuration.answerTimeout = 3
            configuration.pingTimeout = 5
            configuration.drainTimeout = 5
            configuration.growAfter = 0.01
            configuration.reconnectPause = 0.001...0.02
            configuration.refusalLimit = 100
        }
        let endings = Endings()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.pushes {
                guard let request = try? fixture.request(deadline: 120) else { continue }
                group.addTask { endings.note(request.id.text, await fixture.client.submit(request)) }
            }
        }
        fixture.client.stop()
        let record = fixture.mock.record
        #expect(endings.all.count == Self.pushes)
        #expect(fixture.client.pendingBytes == 0)
        for (id, outcomes) in endings.all { judge(id, outcomes, record) }
        #expect(record.limitViolations == 0)
        #expect(record.priorityFrames == 0)
        // All connections were opened with one young token.
        #expect(Set(record.tokens.values.flatMap { $0 }).count == 1)
        #expect(record.tokenRefusals.isEmpty)
        let status = fixture.client.status
        #expect(status.accepted + status.rejected + status.unsent + status.unknown == Self.pushes)
    }

    private func judge(_ id: String, _ outcomes: [PushOutcome], _ record: MockRecord) {
        #expect(outcomes.count == 1)
        // A connection that dies takes requests with it that the mock never handled: these are not counted there.
        let processed = record.processed[id] ?? 0
        let ambiguous = record.ambiguous[id] ?? 0
        let shutdowns = record.shutdowns[id] ?? 0
        #expect(ambiguous <= 2)
        #expect(processed <= 2 + shutdowns)
        let wasOnBrokenConnection = record.requests.contains { $0.id == id && record.broken.contains($0.connection) }
        switch outcomes.first {
        case .accepted, .rejected:
            #expect(processed >= 1)
            if ambiguous == 0, shutdowns == 0, !wasOnBrokenConnection { #expect(processed == 1) }
        case .unknown: break
        case .unsent(let cause): Issue.record("unsent: \(cause)")
        case nil: Issue.record("no outcome")
        }
    }
}
