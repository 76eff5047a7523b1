public import EventModel

/// The sockets and the store as a hub sees them. Called on the hub's thread, inside the hub's methods.
///
/// Contract: an implementation does not call back into the hub before the call returns; `drained`, `supply` and
/// `remove` come later, from the loop.
public protocol HubOutput {
    associatedtype Subscriber: Hashable & Comparable & Sendable

    /// `bytes` are whole frames or blocks, in order.
    func send(_ bytes: [UInt8], to subscriber: Subscriber) -> OutputResult

    /// As `send` to each of them, who come once each in ascending order; tells of those alone of which the answer was
    /// not `sent`.
    func send(_ bytes: [UInt8], toAll subscribers: [Subscriber]) -> [(subscriber: Subscriber, result: OutputResult)]

    /// The hub has forgotten the subscriber already. A stream of server-sent events just ends.
    func close(_ subscriber: Subscriber, _ code: CloseCode)

    /// The notice as a whole frame, in the words that clients know.
    func frame(of notice: PresenceNotice, at time: Timestamp) -> [UInt8]

    /// To be answered, at any later time, by exactly one `supply` or `pageFailed` with the request's ticket.
    func requestPage(_ request: PageRequest)
}

extension HubOutput {
    public func send(
        _ bytes: [UInt8],
        toAll subscribers: [Subscriber]
    ) -> [(subscriber: Subscriber, result: OutputResult)] {
        subscribers.compactMap { subscriber in
            let result = send(bytes, to: subscriber)
            return result == .sent ? nil : (subscriber, result)
        }
    }
}

public enum OutputResult: Sendable, Equatable {
    /// With the kernel.
    case sent
    /// Taken; so many bytes wait in user space, and `Hub.drained` will say when they have left.
    case waiting(bytes: Int)
    /// The socket is closed.
    case gone
}

/// Asks the store for the events after `after` up to and including `through` that match `filter`, ascending by seq:
/// at most `maxEvents`, and fewer where they would exceed `maxBytes`, but at least one.
public struct PageRequest: Sendable, Equatable {
    public let ticket: Int64
    public let after: Int64
    public let through: Int64
    public let filter: EventFilter
    public let maxEvents: Int
    public let maxBytes: Int
}
