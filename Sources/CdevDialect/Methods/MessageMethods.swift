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
            RPCDescription(
                "The conversation of a session, as hooks tell it.",
                (needsWorkspace ? [.placeWorkspaceID] : []) + [
                    .sessionID, .integer("limit", 0...100_000, "At most 500; usually 50."), .offset,
                    .choice("order", ["asc", "desc"], "By time."), .agentType,
                ],
                as: "Messages",
                errors: [.sessionNotFound]
            ),
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
                let milliseconds = call.clock().seconds(since: started) * 1000
                return RPCResult { writer in
                    writer.field("session_id", session.id)
                    writer.beginArray("messages")
                    for event in events { write(event, to: &writer) }
                    writer.endArray()
                    writer.field("total", total)
                    writer.field("limit", page.limit)
                    writer.field("offset", page.offset)
                    writer.field("has_more", (Int64(page.offset + events.count) < total))
                    writer.field("query_time_ms", milliseconds)
                }
            }
        )
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

    private static func write(_ committed: CommittedEvent, to writer: inout JSONWriter) {
        let event = committed.event
        guard let message = ClaudeMessage(event, payload: event.payloadValue) else { return }
        writer.beginObject()
        writer.field("id", committed.seq)
        writer.field("session_id", event.sessionID ?? "")
        writer.field("type", message.role.rawValue)
        writer.field("uuid", event.id.description)
        writer.field("timestamp", event.timestamp.description)
        writer.field("git_branch", "")
        writer.beginObject("message")
        writer.field("role", message.role.rawValue)
        if case .text(let text)? = message.blocks.first, message.role == .user {
            writer.field("content", text)
        } else {
            message.writeBlocks(to: &writer)
        }
        writer.endObject()
        writer.field("is_context_compaction", false)
        writer.field("is_meta", message.isMeta)
        writer.endObject()
    }

    static let elements = RPCMethod.query(
        "session/elements",
        RPCDescription(
            "The conversation of a session as elements of a chat view; the newest without 'after'.",
            [
                .sessionID, .integer("limit", 0...100_000, "At most 100; usually 50."),
                .place("before", "Only those before this element."), .place("after", "Only those behind this element."),
            ],
            as: "Elements",
            errors: [.sessionNotFound]
        ),
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
            return RPCResult { writer in
                writer.field("session_id", session.id)
                let ids = ElementShape.write(page, to: &writer)
                writer.field("has_more", hasMore)
                writer.beginObject("pagination")
                writer.field("total", total)
                writer.field("returned", ids.count)
                writer.field("has_more_before", query.isDescending ? hasMore : hasBehind)
                writer.field("has_more_after", query.isDescending ? hasBehind : hasMore)
                writer.field("oldest_id", ids.first ?? "")
                writer.field("newest_id", ids.last ?? "")
                writer.endObject()
            }
        }
    )
}
