package import EventModel

/// The types that the methods of one interface work with.
package protocol RPCHost: Sendable {
    /// What one conversation remembers. Immediate methods change it.
    associatedtype State: Sendable
    /// What the host knows when a message arrives.
    associatedtype Context: RPCContext
    /// What a method has the host do.
    associatedtype Action: Sendable
    /// What deferred methods use, on any thread.
    associatedtype Services: Sendable
}

package protocol RPCContext: Sendable {
    /// The other end, with its present capabilities.
    var principal: Principal { get }
    /// From a monotonic clock.
    var now: Timestamp { get }
}
