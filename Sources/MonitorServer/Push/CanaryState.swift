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
                fail("no_push_token", "The device had no active push token.")
                return
            }
            if let end = canary.decisions.first(where: { $0.state != .waiting && $0.state != .claimed }) {
                verdict = .healthy
                if end.state != .sent { fail(end.code ?? end.state.rawValue, end.reason ?? "") }
                return
            }
            guard now < canary.expiresAt.adding(seconds: CanaryState.slackSeconds) else {
                fail("undecided", "It was due, and no server has sent it or given it up.")
                return
            }
        }
    }

    private mutating func fail(_ code: String, _ reason: String) {
        (verdict, failure) = (.failing, Failure(code: code, reason: reason))
    }
}
