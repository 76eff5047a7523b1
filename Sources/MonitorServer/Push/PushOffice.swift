internal import EventModel
internal import Persistence
internal import Synchronization

/// What the dispatcher has under way and what came of it, shared with the threads of the transports.
final class PushOffice: Sendable {
    /// Pushes handed over and not settled.
    static let limit = 256

    private struct State {
        var underWay: [Int64: ReadyPush] = [:]
        /// Waits to be written; bounded by `limit`, as each was under way.
        var ended: [PushVerdict] = []
        var breakers = PushBreakers()
        var lastSentAt: Timestamp?
    }

    private let state = Mutex(State())

    var room: Int { state.withLock { max(0, PushOffice.limit - $0.underWay.count) } }
    var count: Int { state.withLock { $0.underWay.count } }
    var lastSentAt: Timestamp? { state.withLock { $0.lastSentAt } }

    func openBreakers(at now: Timestamp) -> [(channel: String, until: Timestamp, cause: String)] {
        state.withLock { $0.breakers.open(at: now) }
    }

    /// How often what waits for a suspended channel got reason to ask again before its pause is over.
    var openings: Int { state.withLock { $0.breakers.openings } }

    func withBreakers<Value>(_ body: (inout PushBreakers) -> Value) -> Value {
        state.withLock { body(&$0.breakers) }
    }

    /// What those that follow are to know of the pushes under way.
    var memory: (traces: [PushTrace], budgets: [DeviceID: Timestamp]) {
        state.withLock { state in
            var budgets: [DeviceID: Timestamp] = [:]
            for case let budget? in state.underWay.values.map(\.budget) {
                budgets[budget.device] = max(budgets[budget.device] ?? budget.fullAt, budget.fullAt)
            }
            return (state.underWay.values.map(\.trace), budgets)
        }
    }

    func begin(_ pushes: [ReadyPush]) {
        state.withLock { state in
            for push in pushes { state.underWay[push.id] = push }
        }
    }

    /// Keeps what to write. Any thread.
    func end(_ push: ReadyPush, _ result: PushResult, now: Timestamp) {
        state.withLock { state in
            let verdict = PushVerdict(result, of: push, &state.breakers, now: now)
            state.ended.append(verdict)
            if verdict.settlement.state == .sent { state.lastSentAt = now }
        }
    }

    /// What waits to be written, left in place until `written` says that it is.
    var ended: [PushVerdict] { state.withLock { $0.ended } }

    func written(_ verdicts: [PushVerdict]) {
        state.withLock { state in
            state.ended.removeFirst(verdicts.count)
            for verdict in verdicts { state.underWay[verdict.settlement.id] = nil }
        }
    }

    /// Live Activities have no row in the outbox; they tell of their channel all the same.
    func noteActivity(_ result: PushResult, channel: String, now: Timestamp) {
        state.withLock { state in
            switch result {
            case .accepted:
                state.breakers.accepted(channel)
                state.lastSentAt = now
            case .rejected(let refusal):
                guard case .channel(let cause)? = refusal.fault else { return }
                _ = state.breakers.failed(channel, cause: cause, now: now)
            case .unsent, .unknown, .malformed: break
            }
        }
    }
}
