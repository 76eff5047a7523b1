/// The size of messages to clients. Many WebSocket clients close a connection at a message above 1 MiB. They would get
/// the same message again when they resume.
public enum MessageLimit {
    /// Maximum bytes of a message, on every transport.
    public static let message = 512 << 10
    /// Maximum bytes of an event's payload in a message. The other members of the event are short. A larger payload is
    /// left out and marked; REST has it.
    public static let payload = 480 << 10

    /// Stands for a payload that is left out.
    public static let emptyPayload = Array("{}".utf8)
    /// The member beside such a payload.
    public static let mark = "payload_truncated"
}
