/// A push that has not ended. Belongs to the push thread.
final class PushJob {
    let submission: PushInbox.Submission
    let sequence: UInt64
    /// On the monotonic clock.
    let queuedAt: Double
    let deadline: Double
    var attempts = DeliveryAttempts()

    init(_ submission: PushInbox.Submission, sequence: UInt64, queuedAt: Double, deadline: Double) {
        self.submission = submission
        self.sequence = sequence
        self.queuedAt = queuedAt
        self.deadline = deadline
    }

    var request: APNsRequest { submission.request }

    var queueItem: PushQueue<PushJob>.Item {
        PushQueue.Item(
            job: self,
            priority: request.priority.rawValue,
            sequence: sequence,
            queuedAt: queuedAt,
            deadline: deadline
        )
    }
}
