/// How events are wrapped on their way to a subscriber.
public enum Transport: Sendable, Hashable, CaseIterable {
    /// A text frame with the notification `{"jsonrpc":"2.0","method":"event/<type>","params":{event}}`.
    case jsonRPC
    /// Text frames with the event in other words, as its `EventDialect` makes them.
    case dialect
    /// A text frame with the event alone.
    case plainWebSocket
    /// `id`, `event` and `data` lines (HTML standard section 9.2).
    case serverSentEvents
}
