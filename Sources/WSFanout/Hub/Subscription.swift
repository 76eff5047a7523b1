/// The position of one subscriber. There is no queue: unsent events stay in the log.
struct Subscription {
    /// `nil` if the subscriber gets heartbeats only.
    var feed: Feed?
    var transport: Transport
    var progress: Progress
    /// In the line for a store request. Kept when the subscription changes, so that a subscriber is in the line once.
    var isInLine = false

    enum Progress {
        case idle
        /// Has received everything up to the head, and its socket accepts more. Gets every publish directly.
        case live
        /// Has received everything up to `cursor`. Continues when its socket has drained or the page of `ticket` has
        /// arrived.
        case behind(cursor: Int64, ticket: Int64?)
    }
}
