import EventModel
import JSON
import RPC
import Sessions

/// `session/messages`, `workspace/session/messages`, `session/elements`: the conversation, as far as hooks tell it.
enum MessageMethods {
    static let all = [
        messages("session/messages", needsWorkspace: false),
        messages("workspace/session/messages", needsWorkspace: true), elements,
    ]

    private static func messages(_ method: String, needsWorkspace: Bool) -> RPCMethod {
        RPCMethod.query(
            method,
            "The conversation of a session, as hooks tell it.",
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
                var query = EventQuery(limit: page.limit)
                query.sessionID = session.id
                query.types = ClaudeMessage.types
                query.maxBytes = RPCQuery.maxPayloadBytes
                query.offset = page.offset
                query.isDescending = page.isDescending
                let total = try await call.store.eventCount(query)
                let events = try await call.store.events(query).events
                return Found(
                    sessionID: session.id,
                    events: events,
                    total: total,
                    page: page,
                    milliseconds: call.clock().seconds(since: started) * 1000
                )
            }
        )
    }

    private struct Found {
        let sessionID: String
        let events: [CommittedEvent]
        let total: Int64
        let page: Page
        let milliseconds: Double
    }

    private static let found = ObjectShape<Found>("Messages") { it in
        it.member("session_id") { $0.sessionID }
        it.list("messages", of: MessageView.shape) { $0.events.compactMap(MessageView.init) }
        it.member("total") { $0.total }
        it.member("limit") { $0.page.limit }
        it.member("offset") { $0.page.offset }
        it.member("has_more") { Int64($0.page.offset + $0.events.count) < $0.total }
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

    static let elements = RPCMethod.query(
        "session/elements",
        "The conversation of a session as elements of a chat view; the newest without 'after'.",
        [
            .sessionID, .integer("limit", 0...100_000, "At most 100; usually 50."),
            .place("before", "Only those before this element."), .place("after", "Only those behind this element."),
        ],
        as: foundElements,
        errors: [.sessionNotFound],
        run: { call async throws(RPCError) in
            let session = try await call.session(try call.params.sessionID())
            let asked = try call.params.integer("limit", in: 0...100_000) ?? 0
            let limit = asked > 0 ? Int(min(asked, 100)) : 50
            var all = EventQuery(limit: limit + 1)
            all.sessionID = session.id
            all.types = ClaudeMessage.types
            all.maxBytes = RPCQuery.maxPayloadBytes
            var query = all
            query.before = try call.params.place("before")
            query.after = try call.params.place("after")
            // Without a place the newest are meant.
            query.isDescending = query.after == nil
            let found = try await call.store.events(query)
            let total = try await call.store.eventCount(all)
            let nearest = found.events.prefix(limit)
            let page = query.isDescending ? nearest.reversed() : Array(nearest)
            let hasMore = found.events.count > limit || !found.isComplete
            // What lies on the side that the client came from.
            var behind = all
            behind.before = query.after.map { $0 + 1 }
            behind.after = query.before.map { $0 - 1 }
            let isBetween = query.before != nil || query.after != nil
            let hasBehind = isBetween ? try await call.store.eventCount(behind) > 0 : false
            return FoundElements(
                sessionID: session.id,
                elements: ElementView.all(of: page),
                total: total,
                hasMore: hasMore,
                hasBefore: query.isDescending ? hasMore : hasBehind,
                hasAfter: query.isDescending ? hasBehind : hasMore
            )
        }
    )

    private struct FoundElements {
        let sessionID: String
        let elements: [ElementView]
        let total: Int64
        let hasMore: Bool
        let hasBefore: Bool
        let hasAfter: Bool
    }

    private static let foundElements = ObjectShape<FoundElements>("Elements") { it in
        it.member("session_id") { $0.sessionID }
        it.list("elements", of: ElementView.shape) { $0.elements }
        it.member("has_more") { $0.hasMore }
        it.object("pagination") { it in
            it.member("total") { $0.total }
            it.member("returned") { $0.elements.count }
            it.member("has_more_before") { $0.hasBefore }
            it.member("has_more_after") { $0.hasAfter }
            it.member("oldest_id") { $0.elements.first?.id ?? "" }
            it.member("newest_id") { $0.elements.last?.id ?? "" }
        }
    }
}
