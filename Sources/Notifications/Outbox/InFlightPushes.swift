internal import EventModel
internal import Outbox
internal import PushGateway
internal import Synchronization

/// A recipient is a device: if the tokens of many devices are refused in a row, the channel is at fault.
typealias PushBreakers = Breakers<DeviceID>

/// The submitted pushes that are not settled, and their outcomes. Safe from any thread.
final class InFlightPushes: Sendable {
    static let limit = 256

    private struct State {
        var pushes = InFlight<PushRequest, Settlement>(limit: InFlightPushes.limit)
        /// Why deliveries must not be sent.
        var void: [Int64: PushCode] = [:]
        var breakers = PushBreakers()
        var lastSentAt: Timestamp?
    }

    private let state = Mutex(State())

    var room: Int { state.withLock { $0.pushes.room } }
    var count: Int { state.withLock { $0.pushes.entries.count } }
    var lastSentAt: Timestamp? { state.withLock { $0.lastSentAt } }

    func openBreakers(at now: Timestamp) -> [(channel: String, until: Timestamp, cause: String)] {
        state.withLock { $0.breakers.open(at: now) }
    }

    /// How often a suspended channel was used again before its pause was over.
    var openings: Int { state.withLock { $0.breakers.openings } }

    func withBreakers<Value>(_ body: (inout PushBreakers) -> Value) -> Value {
        state.withLock { body(&$0.breakers) }
    }

    /// The pushes in progress, as input for the next decisions.
    var memory: (sent: [SentPush], budgets: [DeviceID: Timestamp]) {
        let underWay = state.withLock { Array($0.pushes.entries.values) }
        let budgets = underWay.compactMap(\.budget).map { ($0.device, $0.fullAt) }
        return (underWay.map(\.sent), Dictionary(budgets, uniquingKeysWith: max))
    }

    func begin(_ pushes: [PushRequest]) {
        state.withLock { state in
            for push in pushes { state.pushes.submit(push, as: push.entry.id) }
        }
    }

    func hasBegun(_ id: Int64) -> Bool { state.withLock { $0.pushes.hasBegun(id) } }

    /// The preferences by which a push in progress was composed.
    func preferences(of id: Int64) -> String? { state.withLock { $0.pushes[id]?.entry.preferences } }

    /// Records the permit of a delivery, as its transport needs it.
    func judge(_ id: Int64, _ permit: DeliveryPermit) -> PushPermit {
        state.withLock { state in
            switch permit {
            case .granted:
                state.pushes.begin(id)
                return .granted
            case .void(let code):
                state.void[id] = code
                return .denied
            case .unknown: return .unknown
            }
        }
    }

    /// Stores the outcome until it is written.
    func end(_ push: PushRequest, _ outcome: PushOutcome, now: Timestamp) {
        state.withLock { state in
            let id = push.entry.id
            let void = state.void.removeValue(forKey: id)
            var settlement = SettlementPolicy.settle(outcome, of: push, void: void, &state.breakers, now: now)
            // What was not counted need not be taken back.
            if !state.pushes.hasBegun(id) { settlement.wasNotSubmitted = false }
            state.pushes.end(id, settlement)
            if settlement.state == .sent { state.lastSentAt = now }
        }
    }

    /// Outcomes to be written. They stay here until `written` confirms them.
    var ended: [Settlement] { state.withLock { $0.pushes.ended.map(\.outcome) } }

    func written(_ settlements: [Settlement]) {
        state.withLock { $0.pushes.written(settlements.count) }
    }

    /// Live Activities have no row in the outbox, but their outcomes also affect their channel.
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
