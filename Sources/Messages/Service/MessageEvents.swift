internal import EventModel
internal import JSON
internal import Sessions

/// The log events that report what happens to a message. Their ids are derived from their content.
enum MessageEvents {
    /// - Parameter text: the part of the message that the content policy keeps.
    static func event(
        of message: SessionMessage,
        in session: Session,
        text: String?,
        at time: Timestamp
    ) -> [MonitorEvent] {
        var shown = message
        shown.text = text
        var writer = JSONWriter(reserving: 512)
        SessionMessage.shape.write(shown, to: &writer)
        let updated = event(.messageUpdated, message.state.rawValue, writer.bytes, message, session, at: time)
        guard message.kind == .interrupt, message.state == .delivered else { return [updated] }
        // No hook reports that the turn is over.
        return [updated, event(.sessionInterrupted, "interrupted", Array("{}".utf8), message, session, at: time)]
    }

    private static func event(
        _ type: EventType,
        _ step: String,
        _ payload: [UInt8],
        _ message: SessionMessage,
        _ session: Session,
        at time: Timestamp
    ) -> MonitorEvent {
        MonitorEvent(
            id: EventID(name: "\(message.id):\(step)", machine: message.machine),
            type: type,
            hookEventName: nil,
            timestamp: time,
            receivedAt: time,
            machine: message.machine,
            machineName: session.machineName,
            reportedMachineName: session.reportedMachineName,
            sessionID: message.sessionID,
            projectPath: nil,
            toolName: nil,
            summary: "\(message.kind.rawValue): \(step)",
            payload: payload,
            facts: SessionFacts()
        )
    }
}
