import Synchronization
import Testing

@testable import PushGateway

/// A push is permitted when its stream can be opened, not when it is submitted.
@Suite("Permission to send", .timeLimit(.minutes(5)))
struct PermissionTests {
    /// Answers in turn, and counts how often it was asked.
    private final class Gate: Sendable {
        private let state: Mutex<(asked: Int, permits: [PushPermit])>

        init(_ permits: [PushPermit]) { state = Mutex((0, permits)) }

        var asked: Int { state.withLock { $0.asked } }

        var permission: PushPermission {
            { reply in
                let permit = self.state.withLock { state -> PushPermit in
                    defer { state.asked += 1 }
                    return state.permits[min(state.asked, state.permits.count - 1)]
                }
                reply(permit)
            }
        }
    }

    private func push(_ fixture: Fixture, _ gate: Gate, deadline: Double = 30) async throws -> PushOutcome {
        let request = try fixture.request(deadline: deadline)
        return await withCheckedContinuation { continuation in
            fixture.client.submit(request, permission: gate.permission) { continuation.resume(returning: $0) }
        }
    }

    @Test("a permitted push is sent, a denied one is not")
    func permitted() async throws {
        let fixture = try Fixture()
        let (open, closed, unsure) = (Gate([.granted]), Gate([.denied]), Gate([.unknown]))
        #expect(try await push(fixture, open).isAccepted)
        #expect(try await push(fixture, closed) == .unsent(.denied))
        #expect(try await push(fixture, unsure) == .unsent(.undecided))
        #expect(fixture.mock.record.requests.count == 1)
        #expect(open.asked == 1 && closed.asked == 1 && unsure.asked == 1)
    }

    @Test("nobody is asked before there is a connection")
    func unreachable() async throws {
        let fixture = try Fixture { configuration, _ in configuration.resolve = { _, _ in [] } }
        let gate = Gate([.granted])
        guard case .unsent(.expired) = try await push(fixture, gate, deadline: 0.3) else {
            Issue.record("a push without a connection did not expire")
            return
        }
        #expect(gate.asked == 0)
    }

    @Test("each stream needs a permit of its own")
    func repeated() async throws {
        var script = MockScript()
        script.reply = { $0.earlier == 0 ? [.reset(7)] : [.ok] }
        let fixture = try Fixture(script)
        let open = Gate([.granted])
        #expect(try await push(fixture, open).isAccepted)
        #expect(open.asked == 2)
        let changing = Gate([.granted, .denied])
        #expect(try await push(fixture, changing) == .unsent(.denied))
        #expect(fixture.mock.record.requests.count == 3)
    }

    @Test("a push whose permission is asked when the client stops ends as stopped")
    func stopped() async throws {
        let fixture = try Fixture()
        let client = fixture.client
        let outcome = await withCheckedContinuation { continuation in
            let request = try? fixture.request()
            guard let request else { return continuation.resume(returning: PushOutcome.unsent(.refused)) }
            // The reply never comes.
            client.submit(request, permission: { _ in Task.detached { client.stop() } }) {
                continuation.resume(returning: $0)
            }
        }
        #expect(outcome == .unsent(.stopped))
    }
}
