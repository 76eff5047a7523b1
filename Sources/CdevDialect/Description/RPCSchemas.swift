import EventModel
import GitInterface
import JSON
import WSFanout

/// The schemas of results and notifications that are not part of any method's shape.
extension JSONSchema {
    static let shared: [(SchemaName, String)] =
        [
            ("Empty", #"{"type":"object","maxProperties":0}"#),
            ("NoResult", #"{"not":{}}"#),
            ("Event", event),
            (
                "Capabilities",
                object([
                    "agent": flags, "git": flags, "file": flags, "repository": flags, "workspace": flags,
                    "events": flags, "granted": texts, "dialects": texts, "notifications": texts,
                    "supportedAgents": texts,
                ])
            ),
            (
                "ContentBlock",
                either([
                    object(["type": words("text"), "text": text]),
                    object([
                        "type": words("tool_use"), "id": text, "name": text, "input": any, "tool_name": text,
                        "tool_id": text, "tool_input": any,
                    ]),
                    object(["type": words("tool_result"), "tool_use_id": text, "content": text, "is_error": flag]),
                ])
            ),
        ] + PresenceNotice.joined.definitions + PresenceNotice.left.definitions + OpenPromptsNotice.shape.definitions
        + SessionIDNotice.definitions + Heartbeat.shape.definitions + pushAnswers + fileAnswers + GitMethod.schemas
        + DerivedNotices.schemas + WorkspaceNotices.schemas + LiveNotices.schemas

    private static let flags = #"{"type":"object","additionalProperties":{"type":"boolean"}}"#
}
