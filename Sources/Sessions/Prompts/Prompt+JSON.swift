internal import EventModel
package import JSON

extension Prompt {
    /// Writes the prompt as a JSON object, for a table column or a part of one. Times are microseconds since 1970.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("event", openedBy.description)
        writer.field("seq", openingSeq)
        writer.field("opened", openedAt.microseconds)
        writer.field("session", sessionID)
        writer.field("machine", machine.rawValue)
        writer.field("workspace", workspaceID)
        writer.field("kind", kind.rawValue)
        writer.field("source", source.rawValue)
        writer.field("agent", agentID)
        writer.field("tool", toolName)
        writer.field("tool_use_id", toolUseID)
        writer.field("call", callID)
        writer.field("input", inputHash.map { String($0, radix: 16) })
        writer.field("elicitation", elicitationID)
        writer.field("title", title)
        writer.field("detail", detail)
        if isDetailComplete { writer.field("complete", true) }
        writer.field("question", question)
        writer.field("state", state.rawValue)
        writer.field("closed", closedAt?.microseconds)
        writer.field("evidence", evidence?.description)
        writer.field("by", answeredBy?.rawValue)
        writer.field("decision", decision?.rawValue)
        writer.field("risk", risk?.rawValue)
        writer.field("request", requestedBy?.description)
        if let answer {
            writer.key("answer")
            answer.write(to: &writer)
        }
        if !lateAnswers.isEmpty {
            writer.beginArray("late")
            for answer in lateAnswers { answer.write(to: &writer) }
            writer.endArray()
        }
        if !steps.isEmpty {
            writer.beginArray("steps")
            for step in steps { step.write(to: &writer) }
            writer.endArray()
        }
        if announced != .none { writer.field("announced", announced.rawValue) }
        writer.endObject()
    }

    /// Returns `nil` if `json` was not written by `write(to:)`.
    package init?(stored json: JSONValue) {
        guard let event = json["event"]?.string.flatMap(EventID.init), let seq = json["seq"]?.integer,
            let openedAt = json["opened"]?.timestamp, let session = json["session"]?.string,
            let machine = json["machine"]?.integer, let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)),
            let source = json["source"]?.string.flatMap(Source.init(rawValue:)),
            let toolUseID = json["tool_use_id"]?.string, let title = json["title"]?.string,
            let detail = json["detail"]?.string, let state = json["state"]?.string.flatMap(State.init(rawValue:))
        else { return nil }
        self.init(
            openedBy: event,
            openingSeq: seq,
            openedAt: openedAt,
            sessionID: session,
            machine: MachineID(rawValue: machine),
            workspaceID: json["workspace"]?.string,
            kind: kind,
            source: source,
            agentID: json["agent"]?.string,
            toolName: json["tool"]?.string,
            toolUseID: toolUseID,
            callID: json["call"]?.string,
            inputHash: json["input"]?.string.flatMap { UInt64($0, radix: 16) },
            elicitationID: json["elicitation"]?.string,
            title: title,
            detail: detail,
            isDetailComplete: json["complete"]?.bool ?? false,
            question: json["question"]?.string,
            state: state,
            closedAt: json["closed"]?.timestamp,
            evidence: json["evidence"]?.string.flatMap(EventID.init),
            answeredBy: json["by"]?.string.flatMap(Answerer.init(rawValue:)),
            decision: json["decision"]?.string.flatMap(Decision.init(rawValue:)),
            risk: json["risk"]?.string.flatMap(ToolRisk.init(rawValue:)),
            requestedBy: json["request"]?.string.flatMap(EventID.init),
            answer: json["answer"].flatMap(PromptAnswer.init(stored:)),
            lateAnswers: (json["late"]?.array ?? []).compactMap(PromptAnswer.init(stored:)),
            steps: (json["steps"]?.array ?? []).compactMap(PromptStep.init(stored:)),
            announced: json["announced"]?.integer.flatMap(Phase.init(rawValue:)) ?? .none
        )
    }
}

extension JSONValue {
    var timestamp: Timestamp? { integer.map(Timestamp.init(microseconds:)) }
}
