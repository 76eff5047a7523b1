internal import EventModel

/// What the canaries sent so far tell.
struct CanaryState: Equatable {
    struct Failure: Equatable {
        /// One word.
        var code: String
        /// For a person.
        var reason: String
    }

    enum Verdict: String {
        /// None has come to an end yet.
        case waiting
        case healthy
        case failing
    }

    private(set) var verdict = Verdict.waiting
    private(set) var lastSuccess: Timestamp?
    private(set) var failure: Failure?

    /// Seconds beyond its end for one to be decided.
    private static let slackSeconds = 60.0

    /// The newest that has come to an end counts.
    /// - Parameter canaries: the newest first.
    init(_ canaries: [PushHistory], now: Timestamp) {
        lastSuccess = canaries.flatMap(\.decisions).filter { $0.state == .sent }.compactMap(\.decidedAt).max()
        for canary in canaries {
            guard !canary.decisions.isEmpty else {
                fail(.noPushToken)
                return
            }
            if let end = canary.decisions.first(where: { $0.state != .waiting && $0.state != .claimed }) {
                verdict = .healthy
                if end.state != .sent {
                    failure = Failure(code: end.code ?? end.state.rawValue, reason: end.reason ?? "")
                    verdict = .failing
                }
                return
            }
            guard now < canary.expiresAt.adding(seconds: CanaryState.slackSeconds) else {
                fail(.undecided)
                return
            }
        }
    }

    private mutating func fail(_ code: PushCode) {
        (verdict, failure) = (.failing, Failure(code: code.rawValue, reason: code.sentence))
    }
}
