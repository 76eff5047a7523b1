package import EventModel
package import HTTPModel

/// Counts what one request changes against its sender's rate limit.
package struct EffectCounter: Sendable {
    private let count: @Sendable (Int, Principal) throws(APIError) -> Void

    /// - Parameter count: throws 429 if the sender must wait, or send fewer at once.
    package init(_ count: @escaping @Sendable (Int, Principal) throws(APIError) -> Void) {
        self.count = count
    }

    /// Call before the changes. Throws 429 if the sender must wait, or send fewer at once.
    package func take(_ effects: Int, of principal: Principal) throws(APIError) {
        try count(effects, principal)
    }
}
