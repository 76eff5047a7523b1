package import EventModel

/// Messages that a busy session has read, according to its transcript. They are not masked and never stored.
package struct ReadMessages: Sendable {
    /// Claude Code's own session id.
    package var sessionID: String
    package var machine: MachineID
    /// The messages in the order of the transcript, each with the time of its arrival on the machine's clock.
    package var messages: [(text: String, at: Timestamp)]
}
