public import Masking

public struct IngestConfiguration: Sendable {
    package var contentPolicy: ContentPolicy
    /// Maximum number of events in one request. The server answers 413 to more.
    package var maxEvents: Int
    /// Maximum bytes of a body after inflating. The server answers 413 to more.
    package var maxBytes: Int

    public init(contentPolicy: ContentPolicy = .summary, maxEvents: Int = 500, maxBytes: Int = 4 << 20) {
        self.contentPolicy = contentPolicy
        self.maxEvents = maxEvents
        self.maxBytes = maxBytes
    }
}
