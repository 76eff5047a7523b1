/// How long the answer to one request may take, where that is longer than the listener's general limit: a long poll.
public struct AnswerWait: Sendable {
    /// Counted from the start of the handler. More than 0, at most a day. The deadline passes up to a second late,
    /// never early.
    public var seconds: Double
    /// Sent when the deadline passes without another answer.
    public var overdue: HTTPResponse

    public init(seconds: Double, overdue: HTTPResponse) {
        self.seconds = seconds
        self.overdue = overdue
    }
}
