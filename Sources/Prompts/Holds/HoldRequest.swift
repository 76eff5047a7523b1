internal import EventModel
package import HTTPModel

/// The headers of a hook that waits.
package struct HoldRequest: Sendable {
    package static let idHeader = "x-hold-id"
    package static let secondsHeader = "x-hold-seconds"
    package static let policyHeader = "x-hold-policy"
    /// Why a wait ended, in one word.
    package static let endHeader = "x-hold-end"
    /// The hook's own event, with the end of a wait.
    package static let eventHeader = "x-hold-event"
    private static let maximumSeconds: Int64 = 86_400
    private static let maximumPolicyBytes = 1000
    /// Seconds after which the hook has to ask again, so that proxies and routers keep the connection open.
    package static let pollSeconds = 50.0

    package var id: String
    /// Seconds that the hook still waits.
    package var seconds: Double
    package var policy: HoldPolicy
    /// Whether the end of the request's connection ends the hold.
    package var endsWithConnection = false
    /// Whether Claude Code also asks at a terminal. If not, it waits even while no device may answer: one may be paired
    /// later.
    package var hasTerminal = true

    package init(_ headers: HTTPHeaders) throws(APIError) {
        guard let id = headers[HoldRequest.idHeader].flatMap(EventID.init) else {
            throw .invalid("invalid_hold", "The header 'X-Hold-Id' must be a UUID.", param: "X-Hold-Id")
        }
        guard let seconds = headers[HoldRequest.secondsHeader].flatMap({ Int64($0) }),
            (1...HoldRequest.maximumSeconds).contains(seconds)
        else {
            throw .invalid(
                "invalid_hold",
                "The header 'X-Hold-Seconds' must be a whole number from 1 to \(HoldRequest.maximumSeconds).",
                param: "X-Hold-Seconds"
            )
        }
        let policy = headers[HoldRequest.policyHeader] ?? ""
        guard policy.utf8.count <= HoldRequest.maximumPolicyBytes else {
            throw .invalid("invalid_hold", "The header 'X-Hold-Policy' is too long.", param: "X-Hold-Policy")
        }
        self.init(id: id.description, seconds: Double(seconds), policy: HoldPolicy(policy))
    }

    package init(id: String, seconds: Double, policy: HoldPolicy = HoldPolicy("")) {
        (self.id, self.seconds, self.policy) = (id, seconds, policy)
    }

    /// Seconds that this request may wait.
    package var waitSeconds: Double {
        endsWithConnection ? seconds : min(seconds, HoldRequest.pollSeconds)
    }
}
