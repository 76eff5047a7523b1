/// A push that has not ended. Belongs to the push thread, where either the queue or one connection holds it.
struct PushJob<Service: PushService>: QueuedPush {
    let submission: PushSubmission<Service>
    let sequence: UInt64
    let queuedAt: Double
    let deadline: Double
    var attempts = DeliveryAttempts()

    init(_ submission: PushSubmission<Service>, sequence: UInt64, queuedAt: Double, deadline: Double) {
        self.submission = submission
        self.sequence = sequence
        self.queuedAt = queuedAt
        self.deadline = deadline
    }

    var priority: Int { submission.traits.priority }
}
