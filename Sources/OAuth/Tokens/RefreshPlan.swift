package import EventModel

/// What to do with the tokens of a connection before a request. Pure, so that every server decides the same.
package struct RefreshPlan: Sendable {
    package enum Action: Sendable, Equatable {
        case use
        case refresh
        /// Another one refreshes until then at most.
        case wait(until: Timestamp)
        /// Only a person can help.
        case login
    }

    /// What is known of the tokens.
    package struct State: Sendable, Equatable {
        package var isConnected: Bool
        /// Raised by each change of the tokens.
        package var generation: Int64
        package var hasAccessToken: Bool
        package var hasRefreshToken: Bool
        package var expiresAt: Timestamp?
        package var refreshingUntil: Timestamp?

        package init(
            isConnected: Bool = true,
            generation: Int64 = 1,
            hasAccessToken: Bool = true,
            hasRefreshToken: Bool = true,
            expiresAt: Timestamp? = nil,
            refreshingUntil: Timestamp? = nil
        ) {
            (self.isConnected, self.generation, self.hasAccessToken) = (isConnected, generation, hasAccessToken)
            (self.hasRefreshToken, self.expiresAt) = (hasRefreshToken, expiresAt)
            self.refreshingUntil = refreshingUntil
        }
    }

    /// Seconds before its expiry from which a token is refreshed: a request takes time, and clocks differ.
    package static let margin = 60.0
    /// Seconds for which one server alone may refresh. It exceeds the time of the request.
    package static let leaseSeconds = 40.0

    package init() {}

    /// - Parameter refused: the generation of a token that the resource has refused with 401.
    package func next(_ state: State, refused: Int64?, now: Timestamp) -> Action {
        guard state.isConnected else { return .login }
        let isRefused = refused.map { $0 >= state.generation } ?? false
        let isFresh = state.expiresAt.map { now < $0.adding(seconds: -RefreshPlan.margin) } ?? true
        if state.hasAccessToken, !isRefused, isFresh { return .use }
        let isAlive = state.expiresAt.map { now < $0 } ?? true
        guard state.hasRefreshToken else {
            // The last seconds of a token that cannot be refreshed count, too.
            return state.hasAccessToken && !isRefused && isAlive ? .use : .login
        }
        if let until = state.refreshingUntil, now < until { return .wait(until: until) }
        return .refresh
    }
}
