/// The encoding of events for a subscriber.
public enum Transport: Sendable, Hashable, CaseIterable {
    /// A text frame with the notification `{"jsonrpc":"2.0","method":"event/<type>","params":{event}}`.
    case jsonRPC
    /// Text frames in another format, made by the event's `EventDialect`.
    case dialect
    /// A text frame with the event object only.
    case plainWebSocket
    /// `id`, `event` and `data` lines (HTML standard section 9.2).
    case serverSentEvents
}
