import EventModel
import Synchronization
import Testing

@testable import PushGateway

@Suite("Push services that misbehave at random", .timeLimit(.minutes(5)))
struct MisbehavingServicesTests {
    private static let pushes = 60

    private final class Endings: Sendable {
        private let outcomes = Mutex<[String: [PushOutcome]]>([:])

        func note(_ topic: String, _ outcome: PushOutcome) {
            outcomes.withLock { $0[topic, default: []].append(outcome) }
        }

        var all: [String: [PushOutcome]] { outcomes.withLock { $0 } }
    }

    private func script(_ seed: UInt64, _ random: inout SeededGenerator) -> MockScript {
        let mischief = Mischief(seed: seed, count: 10)
        var script = WebPushFixture.script { mischief.steps(for: $0) }
        script.provenStreamLimit = UInt32.random(in: 1...20, using: &random)
        script.initialStreamLimit = Bool.random(using: &random) ? 1 : nil
        return script
    }

    @Test("every push ends once, none is sent too often, no limit is broken", arguments: 1...10)
    func property(seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        let scripts = (0..<3).map { script(seed &* 31 &+ UInt64($0), &random) }
        let total = Int.random(in: 1...4, using: &random)
        let fixture = try WebPushFixture(scripts) { configuration in
            configuration.maxConnections = 2
            configuration.maxTotalConnections = total
            configuration.answerTimeout = 3
            configuration.drainTimeout = 5
            configuration.growAfter = 0.01
            configuration.reconnectPause = 0.001...0.02
            configuration.refusalLimit = 100
        }
        let endings = Endings()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.pushes {
                let topic = "push-\(number)"
                guard let subscription = try? fixture.subscription(number % 3),
                    let request = try? fixture.request(subscription, topic: topic, deadline: 120)
                else { continue }
                group.addTask { endings.note(topic, await fixture.client.submit(request)) }
            }
        }
        fixture.client.stop()
        #expect(fixture.client.pendingBytes == 0)
        let all = endings.all
        #expect(all.count == Self.pushes)
        let records = fixture.mocks.map(\.record)
        for (topic, outcomes) in all { judge(topic, outcomes, records) }
        for record in records {
            #expect(record.limitViolations == 0)
            #expect(record.priorityFrames == 0)
            #expect(Set(record.tokens.values.flatMap { $0 }).count == 1)
        }
        let status = fixture.client.status
        #expect(status.accepted + status.rejected + status.unsent + status.unknown == Self.pushes)
    }

    private func judge(_ topic: String, _ outcomes: [PushOutcome], _ records: [MockRecord]) {
        #expect(outcomes.count == 1)
        let seenAt = records.filter { ($0.processed[topic] ?? 0) > 0 }
        #expect(seenAt.count <= 1)
        let processed = seenAt.first?.processed[topic] ?? 0
        let ambiguous = seenAt.first?.ambiguous[topic] ?? 0
        #expect(ambiguous <= 2)
        #expect(processed <= 2)
        switch outcomes.first {
        case .accepted, .rejected: #expect(processed >= 1)
        case .unknown: break
        case .unsent(let cause): Issue.record("unsent: \(cause)")
        case nil: Issue.record("no outcome")
        }
    }
}
