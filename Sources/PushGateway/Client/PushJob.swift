/// A push that has not ended. Belongs to the push thread.
final class PushJob<Service: PushService> {
    let submission: PushSubmission<Service>
    let sequence: UInt64
    /// On the monotonic clock.
    let queuedAt: Double
    let deadline: Double
    var attempts = DeliveryAttempts<Service.Answer, Service.Reaction>()

    init(_ submission: PushSubmission<Service>, sequence: UInt64, queuedAt: Double, deadline: Double) {
        self.submission = submission
        self.sequence = sequence
        self.queuedAt = queuedAt
        self.deadline = deadline
    }

    var request: Service.Request { submission.request }

    var queueItem: PushQueue<PushJob<Service>>.Item {
        PushQueue.Item(
            job: self,
            priority: submission.traits.priority,
            sequence: sequence,
            queuedAt: queuedAt,
            deadline: deadline
        )
    }
}
