package import RPC

/// The outcome of a method that uses the store.
package struct RPCAnswer: Sendable {
    package var result: RPCResult
    /// The session that the client shows from now on, if the method opened one.
    package var opened: String?

    package init(_ result: RPCResult, opened: String? = nil) {
        (self.result, self.opened) = (result, opened)
    }
}
