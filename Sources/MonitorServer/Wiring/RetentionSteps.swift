internal import Devices
internal import Notifications
internal import Persistence
internal import Search
internal import Transcripts

enum RetentionSteps {
    /// What is deleted, of what the features have stored, after the retention.
    static func all(auditDays: Int) -> [RetentionStep] {
        NotificationRetention.steps + DeviceRetention.steps(auditDays: auditDays) + TranscriptRetention.steps
            + SearchRetention.steps
    }
}
