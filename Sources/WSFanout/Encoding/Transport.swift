/// The encoding of events for a subscriber.
public enum Transport: Sendable, Hashable, CaseIterable {
    /// A text frame with the notification `{"jsonrpc":"2.0","method":"event/<type>","params":{event}}`.
    case jsonRPC
    /// Text frames in another format, made by the event's `EventDialect`, and then the frame of `jsonRPC`.
    case dialect
    /// The frames of the event's `EventDialect` alone. An event without any is not sent.
    case dialectAlone
    /// A text frame with the event object, and those that the event's `EventDialect` adds for sockets of one session.
    case plainWebSocket
    /// `id`, `event` and `data` lines (HTML standard section 9.2).
    case serverSentEvents

    var isDialect: Bool { self == .dialect || self == .dialectAlone }
    /// Whether an event must be whole for its frames. See `EventDialect.isWhole`.
    var needsWholeEvents: Bool { isDialect || self == .plainWebSocket }
}
