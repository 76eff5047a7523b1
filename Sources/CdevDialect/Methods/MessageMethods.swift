import EventModel
import JSON
import RPC
import Sessions
import Transcripts

/// `session/messages`, `workspace/session/messages`: the conversation as the transcript or the hooks report it.
enum MessageMethods {
    static let all = [
        messages("session/messages", needsWorkspace: false),
        messages("workspace/session/messages", needsWorkspace: true), ElementMethods.elements,
    ]

    private static func messages(_ method: String, needsWorkspace: Bool) -> CdevMethod {
        CdevMethod.query(
            method,
            "The conversation of a session: from its transcript, or as far as hooks tell it.",
            (needsWorkspace ? [.placeWorkspaceID] : []) + [
                .sessionID, .integer("limit", 0...100_000, "At most 500; usually 50."), .offset,
                .choice("order", ["asc", "desc"], "By time."), .agentType,
            ],
            as: found,
            errors: [.sessionNotFound],
            run: { call async throws(RPCError) in
                let started = call.clock()
                let session = try await call.session(try call.params.sessionID())
                if needsWorkspace {
                    let workspace = try call.params.required("workspace_id", "workspaceId")
                    guard session.workspaceID == workspace else {
                        throw .invalidParameter("workspace_id", "is not that of the session")
                    }
                }
                let page = try Page(call.params)
                var found: Found
                if let told = try await told(of: session, page, call) {
                    found = told
                } else {
                    found = try await hooks(of: session, page, call)
                }
                found.milliseconds = call.clock().seconds(since: started) * 1000
                return found
            }
        )
    }

    /// Returns `nil` if no transcript of the session is known.
    private static func told(
        of session: Session,
        _ page: Page,
        _ call: CdevQuery
    ) async throws(RPCError) -> Found? {
        var query = ConversationQuery(of: session, limit: page.limit)
        query.offset = page.offset
        query.isDescending = page.isDescending
        query.maxBytes = CdevHost.maxPayloadBytes
        query.hooks = ConversationMessage.hookTypes
        let told = try await call.services.log.conversation(query)
        guard told.total > 0 else { return nil }
        let messages = told.messages.enumerated().map { index, message in
            let place = Int64(page.offset + index)
            let number = page.isDescending ? told.total - place : place + 1
            return MessageView(message: message, sessionID: session.id, number: number)
        }
        return Found(
            sessionID: session.id,
            messages: messages,
            total: told.total,
            page: page,
            hasMore: told.hasMore
        )
    }

    private static func hooks(
        of session: Session,
        _ page: Page,
        _ call: CdevQuery
    ) async throws(RPCError) -> Found {
        var query = EventQuery(limit: page.limit)
        query.sessionID = session.id
        query.types = ConversationMessage.hookTypes
        query.maxBytes = CdevHost.maxPayloadBytes
        query.offset = page.offset
        query.isDescending = page.isDescending
        let total = try await call.services.log.eventCount(query)
        let events = try await call.services.log.events(query).events
        return Found(
            sessionID: session.id,
            messages: events.compactMap { event in
                ConversationMessage(event).map {
                    MessageView(message: $0, sessionID: session.id, number: event.seq)
                }
            },
            total: total,
            page: page,
            hasMore: Int64(page.offset + events.count) < total
        )
    }

    private struct Found {
        let sessionID: String
        let messages: [MessageView]
        let total: Int64
        let page: Page
        let hasMore: Bool
        var milliseconds = 0.0
    }

    private static let found = ObjectShape<Found>("Messages") { it in
        it.member("session_id") { $0.sessionID }
        it.list("messages", of: MessageView.shape) { $0.messages }
        it.member("total") { $0.total }
        it.member("limit") { $0.page.limit }
        it.member("offset") { $0.page.offset }
        it.member("has_more") { $0.hasMore }
        it.member("query_time_ms") { $0.milliseconds }
    }

    private struct Page {
        let limit: Int
        let offset: Int
        let isDescending: Bool

        init(_ params: RPCParams) throws(RPCError) {
            let asked = try params.integer("limit", in: 0...100_000) ?? 0
            limit = asked > 0 ? Int(min(asked, 500)) : 50
            offset = Int(try params.integer("offset", in: 0...Int64(Int32.max)) ?? 0)
            isDescending = try params.string("order") == "desc"
        }
    }
}
