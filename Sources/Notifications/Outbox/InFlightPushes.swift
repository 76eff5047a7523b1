internal import EventModel
internal import Persistence
internal import PushGateway
internal import Synchronization

/// The pushes that are handed over and not settled, and what came of them. Any thread.
final class InFlightPushes: Sendable {
    static let limit = 256

    private struct State {
        var underWay: [Int64: PushRequest] = [:]
        /// Waits to be written; bounded by `limit`, as each was under way.
        var ended: [Settlement] = []
        var breakers = PushBreakers()
        var lastSentAt: Timestamp?
    }

    private let state = Mutex(State())

    var room: Int { state.withLock { max(0, InFlightPushes.limit - $0.underWay.count) } }
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
    var memory: (sent: [SentPush], budgets: [DeviceID: Timestamp]) {
        let underWay = state.withLock { Array($0.underWay.values) }
        let budgets = underWay.compactMap(\.budget).map { ($0.device, $0.fullAt) }
        return (underWay.map(\.sent), Dictionary(budgets, uniquingKeysWith: max))
    }

    func begin(_ pushes: [PushRequest]) {
        state.withLock { state in
            for push in pushes { state.underWay[push.entry.id] = push }
        }
    }

    /// Keeps what to write.
    func end(_ push: PushRequest, _ outcome: PushOutcome, now: Timestamp) {
        state.withLock { state in
            let settlement = SettlementPolicy.settle(outcome, of: push, &state.breakers, now: now)
            state.ended.append(settlement)
            if settlement.state == .sent { state.lastSentAt = now }
        }
    }

    /// What waits to be written, left in place until `written` says that it is.
    var ended: [Settlement] { state.withLock { $0.ended } }

    func written(_ settlements: [Settlement]) {
        state.withLock { state in
            state.ended.removeFirst(settlements.count)
            for settlement in settlements { state.underWay[settlement.id] = nil }
        }
    }

    /// Live Activities have no row in the outbox; they tell of their channel all the same.
    func noteActivity(_ outcome: PushOutcome, channel: String, now: Timestamp) {
        state.withLock { state in
            if case .accepted = outcome {
                state.breakers.accepted(channel)
                state.lastSentAt = now
            } else if let cause = outcome.channelFault {
                _ = state.breakers.failed(channel, cause: cause, now: now)
            }
        }
    }
}
