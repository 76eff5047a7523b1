internal import EventModel
package import HTTPModel
internal import JSON
internal import Sessions
package import Transcripts

/// Reads of conversations from transcripts.
package protocol ConversationStore: Sendable {
    func conversation(_ query: ConversationQuery) async throws(APIError) -> ConversationPage
}

/// A page of a session's conversation as its transcript tells it, followed by what only hooks have told yet.
struct ConversationListing {
    /// Hook events that are looked at for the end of the conversation.
    private static let tailEvents = 20
    static let textLimits: ClosedRange<Int64> = 1...1_000_000

    let store: any EventStore & ConversationStore
    let clock: @Sendable () -> Timestamp

    /// Returns `nil` if no transcript of the session is known, or if the request asks for places in the log.
    func answer(_ request: RouteRequest, _ session: Session) async throws(APIError) -> HTTPResponse? {
        let parameters = request.query
        guard parameters["after"] == nil, parameters["before"] == nil else { return nil }
        let paging = try Paging(parameters, path: request.http.path, .log)
        let limit = paging.limit ?? 50
        var query = ConversationQuery(
            sessionID: ConversationListing.name(of: session),
            machine: session.machine,
            limit: limit
        )
        query.agentID = parameters["agent_id"]
        query.isDescending = parameters["order"] == "desc"
        query.offset = paging.offset ?? 0
        if let cursor = paging.cursor {
            guard let place = ConversationPlace(cursor) else { return nil }
            query.after = place
        }
        let textLimit = try parameters.integer("text_limit", in: ConversationListing.textLimits)
        var page = try await store.conversation(query)
        if let textLimit { page.messages = page.messages.map { $0.cut(to: Int(textLimit)) } }
        guard page.total > 0 || query.agentID != nil else { return nil }
        var shown = page.messages.map(ShownMessage.line)
        let isEnd = query.isDescending ? query.after == nil && query.offset == 0 : !page.hasMore
        if query.agentID == nil, isEnd, paging.offset == nil {
            let tail = try await tail(of: session, after: page.messages, isDescending: query.isDescending)
            shown = query.isDescending ? tail.reversed() + shown : shown + tail
        }
        return respond(shown, page, paging, request, session, query)
    }

    private func respond(
        _ shown: [ShownMessage],
        _ page: ConversationPage,
        _ paging: Paging,
        _ request: RouteRequest,
        _ session: Session,
        _ query: ConversationQuery
    ) -> HTTPResponse {
        var list = JSONWriter(reserving: 1024 * (shown.count + 1))
        list.beginArray()
        for message in shown { message.write(to: &list, session: session.id) }
        list.endArray()
        let listed = ListPage(
            elements: list.bytes,
            count: shown.count,
            next: page.hasMore ? page.messages.last?.place.text : nil,
            hasMore: page.hasMore,
            total: paging.offset.map { _ in Int(page.total) }
        )
        return ListAnswer(paging, request, at: clock()).response(
            "messages",
            listed,
            members: { writer in
                writer.field("session_id", session.id)
                writer.field("source", "transcript")
            },
            meta: { writer in
                writer.field("count", shown.count)
                writer.field("limit", query.limit)
                writer.field("has_more", page.hasMore)
                writer.field("order", query.isDescending ? "desc" : "asc")
            }
        )
    }

    /// Claude Code's name of a session that another machine began.
    static func name(of session: Session) -> String {
        let suffix = "@\(session.machine.rawValue)"
        return session.id.hasSuffix(suffix) ? String(session.id.dropLast(suffix.count)) : session.id
    }

    /// Prompts and answers that hooks have told of and the transcript, which comes later, has not.
    private func tail(
        of session: Session,
        after messages: [ConversationMessage],
        isDescending: Bool
    ) async throws(APIError) -> [ShownMessage] {
        var query = EventQuery(limit: ConversationListing.tailEvents)
        query.sessionID = session.id
        query.types = MessageListing.types
        query.isDescending = true
        let events = try await store.events(query).events.reversed()
        let newest = isDescending ? messages.first : messages.last
        return ConversationTail.messages(Array(events), after: newest?.place.at, told: messages).map(ShownMessage.hook)
    }
}

/// Decides which hook events a transcript has told already.
enum ConversationTail {
    /// Seconds by which a hook's time may differ from that of its line.
    private static let tolerance = 5.0

    /// - Parameters:
    ///   - newest: the time of the newest message of the transcript.
    ///   - told: messages of the transcript, the newest among them.
    static func messages(
        _ events: [CommittedEvent],
        after newest: Timestamp?,
        told: [ConversationMessage]
    ) -> [Message] {
        let turns = Set(told.compactMap(\.turnID))
        return events.compactMap { event in
            guard let message = Message(event) else { return nil }
            if let newest, newest.seconds(since: event.event.timestamp) > tolerance { return nil }
            if event.event.type == .prompt {
                if let turn = message.turnID, turns.contains(turn) { return nil }
                return told.contains { $0.role != .assistant && isSame($0.text, message.content) } ? nil : message
            }
            return told.contains { $0.role == .assistant && isSame($0.text, message.content) } ? nil : message
        }
    }

    /// Both may be cut, at different lengths.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        let count = min(left.utf8.count, right.utf8.count, 400)
        return count > 0 && left.utf8.prefix(count).elementsEqual(right.utf8.prefix(count))
    }
}

/// A message of a transcript, or one that only hooks tell.
enum ShownMessage {
    case line(ConversationMessage)
    case hook(Message)

    func write(to writer: inout JSONWriter, session: String) {
        switch self {
        case .line(let message): ConversationMessage.shape.write((message, session), to: &writer)
        case .hook(let message): Message.shape.write(message, to: &writer)
        }
    }
}

extension ConversationPlace {
    fileprivate init?(_ cursor: String) {
        let parts = cursor.split(separator: "~")
        guard parts.count == 2, let at = Int64(parts[0]), let line = Int64(parts[1]) else { return nil }
        self.init(at: Timestamp(microseconds: at), line: line)
    }

    fileprivate var text: String { "\(at.microseconds)~\(line)" }
}

extension ConversationMessage {
    static let shape = ObjectShape<(message: ConversationMessage, session: String)>("ConversationMessage") { it in
        it.member("id") { $0.message.id }
        it.member("session_id") { $0.session }
        it.word("role") { $0.message.role }
        it.member("content") { $0.message.text }
        it.list("blocks", of: MessageBlock.shape) { $0.message.blocks }
        it.member("timestamp") { $0.message.place.at }
        it.member("created_at") { $0.message.place.at }
        it.member("line") { $0.message.place.line }
        it.member("message_id") { $0.message.messageID }
        it.member("request_id") { $0.message.requestID }
        it.member("model") { $0.message.model }
        it.object("token_usage", TokenUsage.shape) { $0.message.usage }
        it.member("stop_reason") { $0.message.stopReason }
        it.member("git_branch") { $0.message.gitBranch }
        it.member("agent_id") { $0.message.agentID }
        it.member("result_agent_id") { $0.message.resultAgentID }
        it.member("turn_id") { $0.message.turnID }
        it.member("is_meta") { $0.message.isMeta }
        it.member("is_context_compaction") { $0.message.isCompaction }
        it.member("is_sidechain") { $0.message.isSidechain }
    }
}

extension MessageBlock {
    static let shape = ObjectShape<MessageBlock>("MessageBlock") { it in
        it.member("type", as: JSONSchema.words("text", "thinking", "tool_use", "tool_result", "image")) { $0.type }
        it.member("text") { $0.shownText }
        it.member("id") { $0.call?.id }
        it.member("name") { $0.call?.name }
        it.member("input") { $0.call?.input }
        it.member("tool_use_id") { $0.result?.id }
        it.member("content") { $0.result?.content }
        it.member("is_error") { $0.result?.isError }
        it.member("media_type") { $0.picture?.type }
        it.member("description") { $0.picture?.description }
    }

    private var shownText: String? {
        switch self {
        case .text(let text), .thinking(let text): return text
        default: return nil
        }
    }

    private var call: (id: String, name: String, input: RawJSON)? {
        guard case .toolUse(let id, let name, let input) = self else { return nil }
        return (id, name, RawJSON(input))
    }

    private var result: (id: String, content: String, isError: Bool)? {
        guard case .toolResult(let id, let content, let isError) = self else { return nil }
        return (id, content, isError)
    }

    private var picture: (type: String, description: String)? {
        guard case .image(let type, let description) = self else { return nil }
        return (type, description)
    }

    private var type: String {
        switch self {
        case .text: "text"
        case .thinking: "thinking"
        case .toolUse: "tool_use"
        case .toolResult: "tool_result"
        case .image: "image"
        }
    }
}

/// Any JSON value as a member.
private struct RawJSON: JSONMember {
    let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    static var jsonSchema: String { "{}" }
    func writeJSON(to writer: inout JSONWriter) { writer.value(value) }
}
