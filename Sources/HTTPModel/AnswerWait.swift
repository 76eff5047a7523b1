/// The time that the answer to a request may take, if longer than the listener's general limit, as for a long poll.
public struct AnswerWait: Sendable {
    /// Seconds from the start of the handler. More than 0, at most a day. The deadline may take effect up to a second
    /// late, but never early.
    public var seconds: Double
    /// The response that is sent if there is no answer by the deadline.
    public var overdue: HTTPResponse

    public init(seconds: Double, overdue: HTTPResponse) {
        self.seconds = seconds
        self.overdue = overdue
    }
}
