public import EventModel

/// An alternative event format for some clients. One object may serve all events that have the same dialect frames.
public protocol EventDialect: AnyObject, Sendable {
    /// All frames for the event, concatenated in order. Any thread.
    ///
    /// - Parameter plain: the event's standard frame, or `nil` for a client that does not get it.
    func frames(of event: CommittedEvent, epoch: String, plain: [UInt8]?) -> [UInt8]

    /// The frames that follow the event's object on sockets of one session. Any thread.
    func sessionFrames(of event: CommittedEvent) -> [UInt8]

    /// False if the frames need data from the store. The event is then sent when a page for the dialect has been read.
    var isWhole: Bool { get }

    /// The estimated memory use in bytes, apart from the event.
    var footprint: Int { get }
}

extension EventDialect {
    public func sessionFrames(of event: CommittedEvent) -> [UInt8] { [] }
    public var isWhole: Bool { true }
    public var footprint: Int { 0 }
}
