public import EventModel

/// An alternative event format for some clients. One object may serve all events that have the same dialect frames.
public protocol EventDialect: AnyObject, Sendable {
    /// All frames for the event, concatenated in order. Any thread.
    ///
    /// - Parameter plain: the event's standard frame.
    func frames(of event: CommittedEvent, epoch: String, plain: [UInt8]) -> [UInt8]
}
