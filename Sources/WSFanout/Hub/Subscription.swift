/// One subscriber's place. There is no queue: what is not sent stays in the log.
struct Subscription {
    /// Connected and kept awake, but no events.
    var feed: Feed?
    var transport: Transport
    var progress: Progress
    /// In the line for a request to the store; survives a change of the subscription, so that nobody stands there
    /// twice.
    var isInLine = false

    enum Progress {
        case idle
        /// Has all up to the head, and its socket takes more: gets every publish directly.
        case live
        /// Has all up to `cursor`. It goes on when its socket has drained or the page of `ticket` has come.
        case behind(cursor: Int64, ticket: Int64?)
    }
}
