/// How much of what people and tools wrote is kept.
public enum ContentPolicy: String, Sendable, CaseIterable {
    /// The hook's object, only repaired.
    case full
    /// Long strings cut, secrets masked, at most `PayloadWriter.maxPayloadBytes`.
    case summary
    /// As `summary`, without the members that hold prompts, tool inputs, outputs and messages.
    case none
}

public struct IngestConfiguration: Sendable {
    public var contentPolicy: ContentPolicy
    /// Events of one request; more answer 413.
    public var maxEvents: Int
    /// Bytes of a body, after it was inflated; more answer 413.
    public var maxBytes: Int

    public init(contentPolicy: ContentPolicy = .summary, maxEvents: Int = 500, maxBytes: Int = 4 << 20) {
        self.contentPolicy = contentPolicy
        self.maxEvents = maxEvents
        self.maxBytes = maxBytes
    }
}
