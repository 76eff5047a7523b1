/// The maximum size of messages to clients. Many WebSocket clients close the connection when a message exceeds 1 MiB,
/// and would get the same message again when they resume.
public enum MessageLimit {
    /// Maximum bytes of a message, on every transport.
    public static let message = 512 << 10
    /// Maximum bytes of an event's payload in a message; the other members of the event are short. A message omits a
    /// larger payload and sets `mark`. REST returns the payload.
    public static let payload = 480 << 10

    /// Replaces an omitted payload.
    public static let emptyPayload = Array("{}".utf8)
    /// The name of the member that marks an omitted payload.
    public static let mark = "payload_truncated"
}
