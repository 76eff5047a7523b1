internal import Devices
internal import Notifications
internal import Persistence
internal import Search
internal import Transcripts

enum RetentionSteps {
    /// The features' retention steps, in order.
    static func all(auditDays: Int) -> [RetentionStep] {
        NotificationRetention.steps + DeviceRetention.steps(auditDays: auditDays) + TranscriptRetention.steps
            + SearchRetention.steps
    }
}
