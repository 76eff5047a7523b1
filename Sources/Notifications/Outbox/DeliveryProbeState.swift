internal import EventModel

/// The result of the recent probes.
struct DeliveryProbeState: Equatable {
    struct Failure: Equatable {
        /// One word.
        var code: String
        /// Text for people.
        var reason: String
    }

    enum Verdict: String {
        /// No probe has finished yet.
        case waiting
        case healthy
        case failing
    }

    private(set) var verdict = Verdict.waiting
    private(set) var lastSuccess: Timestamp?
    private(set) var failure: Failure?

    /// Seconds after its expiry in which a probe should be decided.
    private static let slackSeconds = 60.0

    /// Uses the newest finished probe.
    /// - Parameter probes: newest first.
    init(_ probes: [PushHistory], now: Timestamp) {
        lastSuccess = probes.flatMap(\.decisions).filter { $0.state == .sent }.compactMap(\.decidedAt).max()
        for probe in probes {
            guard !probe.decisions.isEmpty else {
                fail(.noPushToken)
                return
            }
            if let end = probe.decisions.first(where: { $0.state != .waiting && $0.state != .claimed }) {
                verdict = .healthy
                if end.state != .sent {
                    failure = Failure(code: end.code ?? end.state.rawValue, reason: end.reason ?? "")
                    verdict = .failing
                }
                return
            }
            guard now < probe.expiresAt.adding(seconds: DeliveryProbeState.slackSeconds) else {
                fail(.undecided)
                return
            }
        }
    }

    private mutating func fail(_ code: PushCode) {
        (verdict, failure) = (.failing, Failure(code: code.rawValue, reason: code.sentence))
    }
}
