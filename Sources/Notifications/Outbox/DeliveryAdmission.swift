internal import EventModel
internal import Logging
internal import PushGateway
internal import Synchronization

/// Asks the database, at the moment when a push can be sent, whether it still may be. Requests that arrive during a
/// query share the next one. Safe from any thread.
final class DeliveryAdmission: Sendable {
    typealias Reply = @Sendable (PushPermit) -> Void

    private struct State {
        var waiting: [(id: Int64, reply: Reply)] = []
        var isAsking = false
    }

    private let environment: PushEnvironment
    private let inFlight: InFlightPushes
    private let state = Mutex(State())

    init(_ environment: PushEnvironment, _ inFlight: InFlightPushes) {
        (self.environment, self.inFlight) = (environment, inFlight)
    }

    /// Does not block. Calls `reply` once.
    func ask(_ id: Int64, reply: @escaping Reply) {
        let starts = state.withLock { state in
            state.waiting.append((id, reply))
            defer { state.isAsking = true }
            return !state.isAsking
        }
        if starts { Task { await answer() } }
    }

    private func answer() async {
        while let asked = next() {
            for (permit, push) in zip(await permits(for: asked.map(\.id)), asked) { push.reply(permit) }
        }
    }

    private func next() -> [(id: Int64, reply: Reply)]? {
        state.withLock { state in
            defer { state.waiting = [] }
            state.isAsking = !state.waiting.isEmpty
            return state.isAsking ? state.waiting : nil
        }
    }

    private func permits(for ids: [Int64]) async -> [PushPermit] {
        do {
            let permits = try await environment.store.admitPushes(
                ids.map { ($0, !inFlight.hasBegun($0), inFlight.preferences(of: $0)) },
                by: environment.server,
                leaseSeconds: PushDispatcher.leaseSeconds,
                sentWithinSeconds: PushDispatcher.memorySeconds,
                now: environment.clock()
            )
            return zip(ids, permits).map { inFlight.judge($0, $1) }
        } catch {
            environment.logger.warning("pushes wait for the database", metadata: ["error": "\(error)"])
            return ids.map { _ in .unknown }
        }
    }
}
