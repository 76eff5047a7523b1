public import EventModel

/// The part of the log that can be read now: every event after `oldest` up to and including `head`.
public struct StreamWindow: Sendable, Equatable {
    public var epoch: String
    /// Events up to here have been dropped by retention; 0 when none was.
    public var oldest: Int64
    public var head: Int64
    /// What others may have shown already: a place up to here is one to wait at. 0: nothing beyond the head.
    public var shown: Int64 = 0

    public init(epoch: String, oldest: Int64, head: Int64) {
        self.epoch = epoch
        self.oldest = oldest
        self.head = head
    }

    public var position: StreamPosition { StreamPosition(epoch: epoch, seq: head) }

    /// Where a stream starts that is asked to go on at `point`: there, if nothing after it is missing, else at the
    /// head. Who names no point has lost nothing.
    public func resolve(_ point: ResumePoint?) -> StreamStart {
        guard let point else { return StreamStart(position: position, recovered: true) }
        let isKnown = point.epoch == nil || point.epoch == epoch
        guard isKnown, point.seq >= oldest, point.seq <= max(head, shown) else {
            return StreamStart(position: position, recovered: false)
        }
        return StreamStart(position: StreamPosition(epoch: epoch, seq: point.seq), recovered: true)
    }
}

/// The answer to a subscription: the first event delivered is the first one after `position`.
public struct StreamStart: Sendable, Equatable {
    public var position: StreamPosition
    /// `false`: the asked place is gone, events may be missing, and the client has to load its state anew.
    public var recovered: Bool

    public init(position: StreamPosition, recovered: Bool) {
        self.position = position
        self.recovered = recovered
    }
}
