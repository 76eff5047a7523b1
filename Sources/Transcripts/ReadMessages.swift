package import EventModel

/// Messages that a busy session has read, as its transcript shows. They are not masked, and are stored nowhere.
package struct ReadMessages: Sendable {
    /// Claude Code's own session id.
    package var sessionID: String
    package var machine: MachineID
    /// In the order of the transcript, each with the time at which it came, on the machine's clock.
    package var messages: [(text: String, at: Timestamp)]
}
