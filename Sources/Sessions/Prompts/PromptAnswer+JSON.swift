internal import EventModel
package import JSON

extension PromptAnswer {
    /// The answer in the REST API and in events.
    package static let shape = ObjectShape<PromptAnswer>("PromptAnswer") { it in
        it.member("id") { $0.id }
        it.word("decision") { $0.decision }
        it.word("scope") { $0.scope }
        it.object("by") { it in
            it.word("kind") { $0.answerer }
            it.member("id") { $0.deviceID }
            it.member("name") { $0.name }
        }
        it.member("at") { $0.at }
        it.member("said") { $0.said }
        it.word("outcome") { $0.outcome }
    }

    package func write(to writer: inout JSONWriter) { PromptAnswer.shape.write(self, to: &writer) }

    /// Returns `nil` if `json` was not written by `write(to:)`.
    package init?(stored json: JSONValue) {
        guard let id = json["id"]?.string,
            let decision = json["decision"]?.string.flatMap(Prompt.Decision.init(rawValue:)),
            let answerer = json["by"]?["kind"]?.string.flatMap(Prompt.Answerer.init(rawValue:)),
            let at = json["at"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        self.init(
            id: id,
            decision: decision,
            scope: json["scope"]?.string.flatMap(Scope.init(rawValue:)),
            answerer: answerer,
            deviceID: json["by"]?["id"]?.string,
            name: json["by"]?["name"]?.string,
            at: at
        )
        said = json["said"]?.string
        outcome = json["outcome"]?.string.flatMap(Outcome.init(rawValue:))
    }
}

extension PromptStep {
    static let shape = ObjectShape<PromptStep> { it in
        it.member("step") { $0.name }
        it.member("at") { $0.at }
        it.member("device_id") { $0.deviceID }
        it.member("evidence") { $0.evidence?.description }
    }

    func write(to writer: inout JSONWriter) { PromptStep.shape.write(self, to: &writer) }

    init?(stored json: JSONValue) {
        guard let name = json["step"]?.string, let at = json["at"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        self.init(
            name,
            at: at,
            deviceID: json["device_id"]?.string,
            evidence: json["evidence"]?.string.flatMap(EventID.init)
        )
    }
}
