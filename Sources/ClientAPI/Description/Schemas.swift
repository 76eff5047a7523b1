internal import API
internal import EventModel
internal import JSON
internal import Sessions
internal import Transcripts

/// The schemas of events, sessions, conversations and projects.
extension JSONSchema {
    /// Must not consist of spaces only.
    private static let sessionIDs = #"{"type":"array","minItems":1,"maxItems":500,"items":{"type":"string"}}"#
    private static let title = #"{"type":"string","maxLength":200,"pattern":"\\S"}"#

    static let sessions: [(SchemaName, String)] =
        [
            ("Event", event),
            ("EventPage", all(of: page("events", "Event"), one("LogPage"))),
            ("SessionPage", page("sessions", "Session")),
            (
                "MessagePage",
                all(of: page("data", "AnyMessage"), object(["session_id": text, "messages?": list("AnyMessage")]))
            ),
            ("AnyMessage", either([one("ConversationMessage"), one("MessageBlocks"), one("Message")])),
            (
                "SessionChange",
                object([
                    "title?": nullable(bounded(200)), "pinned?": flag, "archived?": flag,
                    "permission_mode?": nullable(bounded(128)), "model?": nullable(bounded(128)),
                ])
            ),
            ("SessionsChange", object(["ids": sessionIDs, "archived": flag])),
            ("ProjectPage", page("projects", "Project")),
            (
                "NewProject",
                object([
                    "name": title, "description?": nullable(bounded(4000)), "path?": nullable(bounded(4000)),
                    "machine_id?": nullable(bounded(200)), "settings?": nullable(any),
                ])
            ),
            (
                "ProjectChange",
                object([
                    "name?": title, "description?": nullable(bounded(4000)), "settings?": nullable(any),
                    // The directory of a project determines its id.
                    "path?": "false", "machine_id?": "false",
                ])
            ),
        ]
        + [
            Session.shape.definitions, ChangedSessions.shape.definitions, SessionStatistics.shape.definitions,
            ConversationMessage.hookShape.definitions,
            ConversationMessage.shape.definitions, Project.shape.definitions, ProjectRoutes.deleted.definitions,
            LogPage.shape.definitions,
        ].flatMap { $0 }
}
