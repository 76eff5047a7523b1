public import EventModel

/// The words in which some clients get an event. One object may serve all events that it says the same of.
public protocol EventDialect: AnyObject, Sendable {
    /// All frames that stand for the event, in order, without a gap between them. Any thread.
    ///
    /// - Parameter plain: the event's own frame.
    func frames(of event: CommittedEvent, epoch: String, plain: [UInt8]) -> [UInt8]
}
