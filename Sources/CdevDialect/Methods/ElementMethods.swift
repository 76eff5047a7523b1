import EventModel
import JSON
import RPC
import Sessions
import Transcripts

/// `session/elements`: the blocks of a conversation, one element each.
enum ElementMethods {
    static let elements = CdevMethod.query(
        "session/elements",
        "The conversation of a session as elements of a chat view; the newest without 'after'.",
        [
            .sessionID, .integer("limit", 0...100_000, "At most 100; usually 50."),
            .place("before", "Only those before this element."), .place("after", "Only those behind this element."),
        ],
        as: found,
        errors: [.sessionNotFound],
        run: { call async throws(RPCError) in
            let session = try await call.session(try call.params.sessionID())
            let page = try Page(call.params)
            if let told = try await TranscriptElements(call, session, page).read() { return told }
            return try await hooks(of: session, page, call)
        }
    )

    /// A page of elements. Without `after`, it contains the newest ones.
    struct Page {
        let limit: Int
        let before: ElementPlace?
        let after: ElementPlace?

        var isDescending: Bool { after == nil }

        init(_ params: RPCParams) throws(RPCError) {
            let asked = try params.integer("limit", in: 0...100_000) ?? 0
            limit = asked > 0 ? Int(min(asked, 100)) : 50
            before = ElementPlace(try params.place("before"))
            after = ElementPlace(try params.place("after"))
        }
    }

    /// Returns the elements of a session without a transcript. Each event is one element.
    private static func hooks(
        of session: Session,
        _ page: Page,
        _ call: CdevQuery
    ) async throws(RPCError) -> Found {
        var all = EventQuery(limit: page.limit + 1)
        all.sessionID = session.id
        all.types = ConversationMessage.hookTypes
        all.maxBytes = CdevHost.maxPayloadBytes
        var query = all
        query.before = page.before?.seq
        query.after = page.after?.seq
        query.isDescending = page.isDescending
        let found = try await call.services.log.events(query)
        let total = try await call.services.log.eventCount(all)
        let nearest = found.events.prefix(page.limit)
        let events = query.isDescending ? nearest.reversed() : Array(nearest)
        let hasMore = found.events.count > page.limit || !found.isComplete
        // The elements on the side that the client came from.
        var behind = all
        behind.before = query.after.map { $0 + 1 }
        behind.after = query.before.map { $0 - 1 }
        let isBetween = query.before != nil || query.after != nil
        let hasBehind = isBetween ? try await call.services.log.eventCount(behind) > 0 : false
        return Found(
            sessionID: session.id,
            elements: ElementView.all(of: events.compactMap { ConversationMessage($0) }),
            total: total,
            hasMore: hasMore,
            hasBefore: query.isDescending ? hasMore : hasBehind,
            hasAfter: query.isDescending ? hasBehind : hasMore
        )
    }

    struct Found {
        let sessionID: String
        let elements: [ElementView]
        let total: Int64
        let hasMore: Bool
        let hasBefore: Bool
        let hasAfter: Bool
    }

    private static let found = ObjectShape<Found>("Elements") { it in
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

extension ElementPlace {
    /// The position of a hook event in the log; 0 for a block of a transcript.
    fileprivate var seq: Int64 {
        guard case .event(let seq) = self else { return 0 }
        return seq
    }
}

/// The elements of a session with a transcript. The transcript's elements precede those that only hooks have reported.
private struct TranscriptElements {
    let call: CdevQuery
    let session: Session
    let page: ElementMethods.Page

    init(_ call: CdevQuery, _ session: Session, _ page: ElementMethods.Page) {
        (self.call, self.session, self.page) = (call, session, page)
    }

    /// Returns `nil` if no transcript of the session is known.
    func read() async throws(RPCError) -> ElementMethods.Found? {
        var count = query()
        (count.offset, count.limit) = (0, 1)
        let total = try await call.services.log.conversation(count).total
        guard total > 0 else { return nil }
        let (messages, hasMore) = try await page.isDescending ? backward() : forward()
        var elements = ElementView.all(of: messages).filter(isWanted)
        let isFull = elements.count > page.limit
        elements = page.isDescending ? Array(elements.suffix(page.limit)) : Array(elements.prefix(page.limit))
        let isBetween = page.before != nil || page.after != nil
        return ElementMethods.Found(
            sessionID: session.id,
            elements: elements,
            total: total,
            hasMore: hasMore || isFull,
            hasBefore: page.isDescending ? hasMore || isFull : true,
            hasAfter: page.isDescending ? isBetween : hasMore || isFull
        )
    }

    private func query() -> ConversationQuery {
        // A message has one element or more.
        var query = ConversationQuery(of: session, limit: page.limit + 1)
        query.maxBytes = CdevHost.maxPayloadBytes
        query.hooks = ConversationMessage.hookTypes
        return query
    }

    /// In the order of the conversation.
    private func backward() async throws(RPCError) -> (messages: [ConversationMessage], hasMore: Bool) {
        var query = query()
        query.isDescending = true
        switch page.before {
        case .block(let place, _)?: query.after = ConversationPlace(at: place.at, line: place.line + 1)
        case .event(let seq)?:
            guard try await isInTail(seq) else {
                query.after = ConversationPlace(at: try await time(of: seq), line: Int64.max)
                break
            }
        case nil: break
        }
        let found = try await call.services.log.conversation(query)
        return (found.messages.reversed(), found.hasMore)
    }

    private func forward() async throws(RPCError) -> (messages: [ConversationMessage], hasMore: Bool) {
        var query = query()
        switch page.after {
        case .block(let place, _)?: query.after = ConversationPlace(at: place.at, line: place.line - 1)
        case .event(let seq)?:
            let at = try await isInTail(seq) ? ConversationPlace.end.at : try await time(of: seq)
            query.after = ConversationPlace(at: at, line: Int64.max)
        case nil: break
        }
        let found = try await call.services.log.conversation(query)
        return (found.messages, found.hasMore)
    }

    /// Whether only a hook has reported the message.
    private func isInTail(_ seq: Int64) async throws(RPCError) -> Bool {
        var query = query()
        query.after = .end
        return try await call.services.log.conversation(query).messages.contains { $0.seq == seq }
    }

    /// The time of the event. The transcript has reported it in the meantime.
    private func time(of seq: Int64) async throws(RPCError) -> Timestamp {
        var query = EventQuery(limit: 1)
        query.sessionID = session.id
        query.before = seq + 1
        query.isDescending = true
        return try await call.services.log.events(query).events.first?.event.timestamp ?? session.startedAt
    }

    private func isWanted(_ element: ElementView) -> Bool {
        isWanted(element, page.before) { $0 < $1 } && isWanted(element, page.after) { $0 > $1 }
    }

    /// Places of different kinds are told apart by what was read.
    private func isWanted(
        _ element: ElementView,
        _ bound: ElementPlace?,
        _ isOnSide: (ElementPlace.Order, ElementPlace.Order) -> Bool
    ) -> Bool {
        switch (element.place, bound) {
        case (.event(let seq), .event(let other)?): isOnSide((0, 0, seq), (0, 0, other))
        case (.block, .block(let other, let index)?):
            isOnSide(element.place.order, (other.at.microseconds, other.line, Int64(index)))
        case (.event, .block?): isOnSide((1, 0, 0), (0, 0, 0))
        default: true
        }
    }
}

extension ElementPlace {
    fileprivate typealias Order = (Int64, Int64, Int64)

    fileprivate var order: Order {
        switch self {
        case .event(let seq): (0, 0, seq)
        case .block(let place, let index): (place.at.microseconds, place.line, Int64(index))
        }
    }
}
