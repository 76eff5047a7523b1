import EventModel
import JSON
import RPC
import WSFanout

/// `event/subscribe`, `event/unsubscribe`, `event/replay`.
enum EventMethods {
    static let all = [subscribe, unsubscribe, replay]

    /// Replaces the running subscription. The first event after the answer is the one that follows the answer's `seq`.
    static let subscribe = CdevMethod.immediate(
        "event/subscribe",
        "Replaces the running subscription.",
        [.since, .anyWorkspaceID, .anySessionID, .types, .dialect],
        as: subscribed
    ) { call throws(RPCError) in
        let filter = try filter(call.params)
        let window = call.context.window
        let start = window.resolve(try resumePoint(call.params))
        if let dialect = try call.params.dialect() {
            (call.stream.dialect, call.stream.hasChosenDialect) = (dialect, true)
        }
        call.stream.replace(with: filter)
        if let session = filter.sessionID { call.remind(.session(session)) }
        call.act(.subscribe(call.stream.filter, after: start.position, transport: call.stream.transport))
        return (start, window.head)
    }

    private static let subscribed = ObjectShape<(start: StreamStart, head: Int64)>("Subscribed") { it in
        it.member("epoch") { $0.start.position.epoch }
        it.member("seq") { $0.start.position.seq }
        it.member("recovered") { $0.start.recovered }
        it.member("head") { $0.head }
    }

    static let unsubscribe = CdevMethod.immediate(
        "event/unsubscribe",
        RPCDescription("No events from now on.", as: "Empty")
    ) { call in
        call.act(.unsubscribe)
        return .empty
    }

    /// A page of the log as a result, for a client that does not want to move its subscription.
    static let replay = CdevMethod.query(
        "event/replay",
        "A page of the log, from its beginning where no place is given.",
        [.since, .anyWorkspaceID, .anySessionID, .types, .integer("limit", 1...500, "How many; usually 100.")],
        as: replayed,
        run: { call async throws(RPCError) in
            let filter = try filter(call.params)
            let limit = Int(try call.params.integer("limit", in: 1...500) ?? 100)
            let bounds = try await call.services.log.bounds()
            let window = StreamWindow(epoch: bounds.epoch, oldest: bounds.oldest - 1, head: bounds.head)
            let start = window.resolve(try resumePoint(call.params) ?? ResumePoint(epoch: nil, seq: window.oldest))
            var query = EventQuery(limit: limit + 1)
            query.after = start.position.seq
            query.sessionID = filter.sessionID
            query.workspaceID = filter.workspaceID
            query.types = filter.types ?? []
            query.maxBytes = CdevHost.maxPayloadBytes
            let found = try await call.services.log.events(query)
            let page = found.events.prefix(limit)
            let hasMore = found.events.count > limit || !found.isComplete
            let cut = found.events.count > limit ? page.last?.seq : found.through
            return Replay(
                epoch: bounds.epoch,
                seq: (hasMore ? cut : nil) ?? max(bounds.head, page.last?.seq ?? 0),
                isRecovered: start.recovered,
                head: bounds.head,
                hasMore: hasMore,
                events: page
            )
        }
    )

    private struct Replay {
        let epoch: String
        /// The position at which to continue.
        let seq: Int64
        let isRecovered: Bool
        let head: Int64
        let hasMore: Bool
        let events: ArraySlice<CommittedEvent>
    }

    private static let replayed = ObjectShape<Replay>("Replay") { it in
        it.member("epoch") { $0.epoch }
        it.member("seq") { $0.seq }
        it.member("recovered") { $0.isRecovered }
        it.member("head") { $0.head }
        it.member("has_more") { $0.hasMore }
        it.member("count") { $0.events.count }
        it.custom("events", JSONSchema.list("Event")) { replay, writer in
            writer.beginArray()
            for event in replay.events {
                event.write(to: &writer, epoch: replay.epoch, isCut: event.event.payload.count > MessageLimit.payload)
            }
            writer.endArray()
        }
    }

    private static func filter(_ params: RPCParams) throws(RPCError) -> EventFilter {
        let types = try params.strings("types", count: 1...64)
        return EventFilter(
            workspaceID: try params.string("workspace_id"),
            sessionID: try params.string("session_id"),
            types: types.map { Set($0.map { EventType(sent: $0) }) }
        )
    }

    private static func resumePoint(_ params: RPCParams) throws(RPCError) -> ResumePoint? {
        guard let since = try params.object("since") else { return nil }
        guard let seq = try since.integer("seq", in: 0...Int64.max) else {
            throw .invalidParameter("since.seq", "is missing")
        }
        return ResumePoint(epoch: try since.string("epoch"), seq: seq)
    }
}
