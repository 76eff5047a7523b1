public import EventModel

/// The hub's interface to the sockets and the store. Called on the hub's thread, inside the hub's methods.
///
/// An implementation must not call back into the hub before the call returns. `drained`, `supply` and `remove` are
/// called later, from the loop.
public protocol HubOutput {
    associatedtype Subscriber: Hashable & Comparable & Sendable

    /// `bytes` are whole frames or blocks, in order.
    func send(_ bytes: [UInt8], to subscriber: Subscriber) -> OutputResult

    /// Sends to each of the subscribers, which are distinct and ascending. Returns only the results that are not
    /// `sent`.
    func send(_ bytes: [UInt8], toAll subscribers: [Subscriber]) -> [(subscriber: Subscriber, result: OutputResult)]

    /// The hub has already removed the subscriber. A stream of server-sent events is closed without a code.
    func close(_ subscriber: Subscriber, _ code: CloseCode)

    /// The notice as a whole frame, in the client protocol.
    func frame(of notice: PresenceNotice, at time: Timestamp) -> [UInt8]

    /// Must be answered, at any later time, by exactly one `supply` or `pageFailed` with the request's ticket.
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
    /// Passed to the kernel.
    case sent
    /// Accepted. This number of bytes waits in user space; `Hub.drained` is called when they have been sent.
    case waiting(bytes: Int)
    /// The socket is closed.
    case gone
}

/// Requests the events after `after` up to and including `through` that match `filter`, ascending by seq. The page has
/// at most `maxEvents` events and `maxBytes` bytes, but at least one event. If it is for the dialect, the store must
/// make each event whole: see `EventDialect.isWhole`.
public struct PageRequest: Sendable, Equatable {
    public let ticket: Int64
    public let after: Int64
    public let through: Int64
    public let filter: EventFilter
    public let isForDialect: Bool
    public let maxEvents: Int
    public let maxBytes: Int
}
