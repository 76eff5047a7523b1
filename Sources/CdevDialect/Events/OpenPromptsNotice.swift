package import EventModel
internal import JSON
package import Sessions
package import WSFanout

/// Reports to a client that has just connected which prompts wait for a person. It has no position in the log.
package struct OpenPromptsNotice: Sendable {
    private let time: Timestamp
    private var prompts: [PromptRecord]
    /// Whether prompts are left out because the message would be too large.
    private var hasMore = false

    package static let method = "prompts/open"

    package init(_ prompts: [PromptRecord], at time: Timestamp) {
        (self.prompts, self.time) = (prompts, time)
    }

    package var message: StreamNotice {
        var notice = StreamNotice(method: OpenPromptsNotice.method, event: OpenPromptsNotice.event, json: fittingJSON)
        notice.sessionFrames = prompts.flatMap { WebSocketFrame.text(SessionFrames.prompt($0)) }
        return notice
    }

    /// Leaves out the later prompts of the list if all of them are too large.
    private var fittingJSON: [UInt8] {
        var notice = self
        var json = notice.json
        while json.count > MessageLimit.payload, !notice.prompts.isEmpty {
            notice.prompts.removeLast((notice.prompts.count + 1) / 2)
            notice.hasMore = true
            json = notice.json
        }
        return json
    }

    private var json: [UInt8] {
        JSONEscaping.withoutLineSeparators(OpenPromptsNotice.shape.json(self, reserving: 1024 * prompts.count + 256))
    }

    private static let event = "prompts_open"

    static let shape = ObjectShape<OpenPromptsNotice>("OpenPrompts") { it in
        it.constant("event", event)
        it.member("timestamp") { $0.time }
        it.constant("agent_type", "claude")
        it.object("payload") { it in
            it.list("prompts", of: PromptRecord.shape) { $0.prompts }
            it.member("has_more") { $0.hasMore ? true : nil }
        }
    }
}
