internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions
internal import Transcripts

/// A page of a session's conversation from its transcript, followed by messages that only hooks have reported so far.
struct ConversationListing {
    static let textLimits: ClosedRange<Int64> = 1...1_000_000

    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    /// Returns `nil` if no transcript of the session is known, or if the request asks for positions in the log.
    func answer(_ request: RouteRequest, _ session: Session) async throws(APIError) -> HTTPResponse? {
        let parameters = request.query
        guard parameters["after"] == nil, parameters["before"] == nil else { return nil }
        let paging = try Paging(parameters, path: request.http.path, .log)
        var query = ConversationQuery(of: session, limit: paging.limit ?? 50)
        query.agentID = parameters["agent_id"]
        query.isDescending = parameters["order"] == "desc"
        query.offset = paging.offset
        query.hooks = ConversationMessage.spokenTypes
        if let time = try parameters.time("at") {
            query.after = ConversationPlace(at: time, line: query.isDescending ? .max : -1)
        }
        if let cursor = paging.cursor {
            guard let place = ConversationPlace(cursor) else { return nil }
            query.after = place
        }
        let textLimit = try parameters.integer("text_limit", in: ConversationListing.textLimits)
        let view = try MessageView(parameters)
        var page = try await database.use { store throws(PersistenceError) in
            try await store.conversation(query, of: session.kind)
        }
        if let textLimit { page.messages = page.messages.map { $0.cut(to: Int(textLimit)) } }
        guard page.total > 0 || query.agentID != nil else { return nil }
        return respond(page, paging, request, session, query, view)
    }

    private func respond(
        _ page: ConversationPage,
        _ paging: Paging,
        _ request: RouteRequest,
        _ session: Session,
        _ query: ConversationQuery,
        _ view: MessageView
    ) -> HTTPResponse {
        var list = JSONWriter(reserving: 1024 * (page.messages.count + 1))
        list.beginArray()
        for message in page.messages { view.write(message, of: session.id, to: &list) }
        list.endArray()
        let listed = ListPage(
            elements: list.bytes,
            count: page.messages.count,
            next: page.hasMore ? page.messages.last { $0.seq == nil }?.place.text : nil,
            hasMore: page.hasMore,
            total: paging.offset.map { _ in Int(page.total) },
            isCut: page.isCut
        )
        return ListAnswer(paging, request, at: clock()).response(
            view.listName,
            listed,
            members: { writer in
                writer.field("session_id", session.id)
                writer.field("source", "transcript")
            },
            meta: { writer in
                writer.field("count", page.messages.count)
                writer.field("limit", query.limit)
                writer.field("has_more", page.hasMore)
                writer.field("order", query.isDescending ? "desc" : "asc")
            }
        )
    }
}

/// The form in which messages are written: with all members that any client reads, or with each text only once.
enum MessageView: String, CaseIterable {
    case full
    /// Writes the list as `data` alone, and no `content` beside `blocks`.
    case blocks

    init(_ parameters: QueryParameters) throws(APIError) {
        let word = parameters["view"] ?? MessageView.full.rawValue
        guard let view = MessageView(rawValue: word) else {
            throw .invalid("invalid_parameter", "'view' must be full or blocks.", param: "view")
        }
        self = view
    }

    var listName: String? { self == .full ? "messages" : nil }

    func write(_ message: ConversationMessage, of session: String, to writer: inout JSONWriter) {
        let told = (message: message, session: session)
        guard message.seq == nil else { return ConversationMessage.hookShape.write(told, to: &writer) }
        switch self {
        case .full: ConversationMessage.shape.write(told, to: &writer)
        case .blocks: ConversationMessage.blocksShape.write(told, to: &writer)
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
    typealias Told = (message: ConversationMessage, session: String)

    static let shape = ObjectShape<Told>("ConversationMessage", extending: blocksShape, { $0 }) { it in
        it.member("content") { $0.message.text }
    }

    /// A message that only a hook has reported: a prompt, or the answer at the end of a turn.
    static let hookShape = ObjectShape<Told>("Message") { it in
        it.member("id") { $0.message.id }
        it.member("session_id") { $0.session }
        it.word("role") { $0.message.role }
        it.member("content") { $0.message.text }
        it.member("timestamp") { $0.message.place.at }
        it.member("created_at") { $0.message.place.at }
        it.member("seq") { $0.message.seq ?? 0 }
    }

    /// Contains each text once.
    static let blocksShape = ObjectShape<Told>("MessageBlocks") { it in
        it.member("id") { $0.message.id }
        it.member("session_id") { $0.session }
        it.word("role") { $0.message.role }
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
