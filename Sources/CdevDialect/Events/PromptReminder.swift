package import EventModel
package import Sessions
package import WSFanout

/// The dialog of an open prompt for a client that was not there when it opened. It repeats what the client would have
/// received, marked so that it does not move the client's cursor.
package enum PromptReminder {
    private static let dialogs: Set<String> = ["pty_permission", "claude_waiting"]

    /// - Parameters:
    ///   - request: the event that asks: the permission request, or the one that opened the prompt.
    ///   - time: the time to show.
    /// - Returns: text frames; empty if the prompt has no dialog.
    package static func frames(
        of prompt: Prompt,
        askedBy request: CommittedEvent,
        epoch: String,
        at time: Timestamp
    ) -> [UInt8] {
        let context = EventContext(prompts: PromptNews(asked: prompt))
        let place = CdevFrames.Place(epoch: epoch, seq: request.seq, hasMore: true)
        return DerivedEvents.of(request, context).filter { dialogs.contains($0.name) }.flatMap { dialog in
            WebSocketFrame.text(CdevFrames.notification(dialog, request, time, at: place))
        }
    }
}

extension EncodedEvent {
    /// The ids of the prompts that end with this event.
    package var endedPrompts: [String] {
        (dialect as? CdevFrames)?.context.prompts.changes.closed.map(\.id) ?? []
    }
}
