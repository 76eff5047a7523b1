package import EventModel
internal import JSON
package import Sessions
package import WSFanout

/// Reports to a client that has just connected which prompts wait for a person. It has no position in the log.
package struct OpenPromptsNotice: Sendable {
    private let time: Timestamp
    private let prompts: [PromptRecord]

    package static let method = "prompts/open"

    package init(_ prompts: [PromptRecord], at time: Timestamp) {
        (self.prompts, self.time) = (prompts, time)
    }

    package var message: StreamNotice {
        let json = OpenPromptsNotice.shape.json(self, reserving: 1024 * prompts.count + 256)
        return StreamNotice(
            method: OpenPromptsNotice.method,
            event: OpenPromptsNotice.event,
            json: JSONEscaping.withoutLineSeparators(json)
        )
    }

    private static let event = "prompts_open"

    static let shape = ObjectShape<OpenPromptsNotice>("OpenPrompts") { it in
        it.constant("event", event)
        it.member("timestamp") { $0.time }
        it.constant("agent_type", "claude")
        it.object("payload") { it in
            it.list("prompts", of: PromptRecord.shape) { $0.prompts }
        }
    }
}
