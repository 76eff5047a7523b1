public import EventModel

/// The readable part of the log: every event after `oldest` up to and including `head`.
public struct StreamWindow: Sendable, Equatable {
    public var epoch: String
    /// Retention has dropped the events up to this position; 0 if it has dropped none.
    public var oldest: Int64
    public var head: Int64
    /// Events up to this position may have been shown by another hub, so a client may resume there and wait. 0 means
    /// nothing beyond the head.
    public var shown: Int64 = 0

    public init(epoch: String, oldest: Int64, head: Int64) {
        self.epoch = epoch
        self.oldest = oldest
        self.head = head
    }

    public var position: StreamPosition { StreamPosition(epoch: epoch, seq: head) }

    /// The start of a stream that resumes at `point`: that point if no later event is missing, otherwise the head. A
    /// client without a point has lost nothing.
    public func resolve(_ point: ResumePoint?) -> StreamStart {
        guard let point else { return StreamStart(position: position, recovered: true) }
        let isKnown = point.epoch == nil || point.epoch == epoch
        guard isKnown, point.seq >= oldest, point.seq <= max(head, shown) else {
            return StreamStart(position: position, recovered: false)
        }
        return StreamStart(position: StreamPosition(epoch: epoch, seq: point.seq), recovered: true)
    }
}

/// The answer to a subscription. The first event delivered is the first one after `position`.
public struct StreamStart: Sendable, Equatable {
    public var position: StreamPosition
    /// `false` if the requested position is gone: events may be missing, and the client must reload its state.
    public var recovered: Bool

    public init(position: StreamPosition, recovered: Bool) {
        self.position = position
        self.recovered = recovered
    }
}
