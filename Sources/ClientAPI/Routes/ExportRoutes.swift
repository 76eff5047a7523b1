internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions
internal import Transcripts
internal import Usage

/// `/v1/sessions/{id}/export`: everything that is stored about a session, as JSON Lines or as Markdown. The body is
/// written page by page, so that its size does not matter.
struct ExportRoutes: Sendable {
    private static let pageEvents = 500
    private static let pageMessages = 100

    let database: any StoreAccess
    let changes: ExportedChanges
    let clock: @Sendable () -> Timestamp

    enum Format: String, CaseIterable {
        case jsonl
        case markdown
    }

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions/{id}/export", .read, handler: export).described { about in
                about.saying(
                    "All that is stored of a session, one JSON object a line, or its conversation as Markdown.",
                    [.choice("format", Format.allCases.map(\.rawValue), "jsonl, unless it is given.")]
                )
                .answering(200, "application/x-ndjson").answering(200, "text/markdown").notCached()
            }
        ]
    }

    @Sendable private func export(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let format = Format(rawValue: request.query["format"] ?? "jsonl") else {
            throw .invalid("invalid_parameter", "'format' must be jsonl or markdown.", param: "format")
        }
        let session = try await database.sessionWithEvidence(id: request.parameters["id"] ?? "", now: clock())
        let responder = try request.responder()
        let type = format == .jsonl ? "application/x-ndjson" : "text/markdown; charset=utf-8"
        var response = HTTPResponse(status: 200, headers: [("content-type", type)])
        response.stream = { writer in
            switch format {
            case .jsonl: try await self.writeLines(of: session, to: writer)
            case .markdown: try await self.writeMarkdown(of: session, to: writer)
            }
            guard let changed = await changes.of(session.id, for: responder) else { return }
            switch format {
            case .jsonl:
                var line = JSONLines()
                line.add("changes") { $0.field("changes", changed) }
                try await writer.write(line.bytes)
            case .markdown:
                let text = ConversationMarkdown.changes(ExportedChanges.text(of: changed))
                try await writer.write(Array(text.utf8))
            }
        }
        return response
    }

    private func writeLines(of session: Session, to body: any BodyWriter) async throws {
        var first = JSONLines()
        first.add("session") { $0.field("session", json: Session.shape.json((session, clock()))) }
        try await body.write(first.bytes)
        try await eachRequest(of: session) { requests in
            var lines = JSONLines()
            for request in requests { lines.add("request") { RequestRecord.shape.writeMembers(of: request, to: &$0) } }
            try await body.write(lines.bytes)
        }
        for agent in try await agents(of: session) {
            try await eachMessage(of: session, agent: agent) { messages in
                var lines = JSONLines()
                for message in messages {
                    lines.add("message") { ConversationMessage.shape.writeMembers(of: (message, session.id), to: &$0) }
                }
                try await body.write(lines.bytes)
            }
        }
        let epoch = try await database.use { store throws(PersistenceError) in
            try await store.bounds()
        }.epoch
        try await eachEvent(of: session) { events in
            var lines = JSONLines()
            for event in events {
                var whole = JSONWriter(reserving: event.event.payload.count + 512)
                event.write(to: &whole, epoch: epoch)
                lines.add("event") { $0.field("data", json: whole.bytes) }
            }
            try await body.write(lines.bytes)
        }
    }

    private func writeMarkdown(of session: Session, to body: any BodyWriter) async throws {
        try await body.write(Array(ConversationMarkdown.head(of: session).utf8))
        var isEmpty = true
        for agent in try await agents(of: session) {
            if let agent { try await body.write(Array("\n# Subagent \(agent)\n".utf8)) }
            try await eachMessage(of: session, agent: agent) { messages in
                isEmpty = false
                let text = messages.map { ConversationMarkdown.text(of: $0) }.joined()
                try await body.write(Array(text.utf8))
            }
        }
        guard isEmpty else { return }
        try await eachEvent(of: session, types: ConversationMessage.spokenTypes) { events in
            let messages = events.compactMap { ConversationMessage($0) }.filter { !$0.blocks.isEmpty }
            let text = messages.map { ConversationMarkdown.text(of: $0) }.joined()
            try await body.write(Array(text.utf8))
        }
    }

    /// The main agent, as `nil`, and the subagents whose results appear in its conversation.
    private func agents(of session: Session) async throws -> [String?] {
        var agents: [String?] = [nil]
        try await eachMessage(of: session, agent: nil) { messages in
            for case let agent? in messages.map(\.resultAgentID) where !agents.contains(agent) { agents.append(agent) }
        }
        return agents
    }

    private func eachMessage(
        of session: Session,
        agent: String?,
        _ body: ([ConversationMessage]) async throws -> Void
    ) async throws {
        var query = ConversationQuery(of: session, limit: ExportRoutes.pageMessages)
        query.agentID = agent
        while true {
            let page = try await database.use { store throws(PersistenceError) in
                try await store.conversation(query)
            }
            if !page.messages.isEmpty { try await body(page.messages) }
            guard page.hasMore, let last = page.messages.last else { return }
            query.after = last.place
        }
    }

    private func eachEvent(
        of session: Session,
        types: Set<EventType> = [],
        _ body: ([CommittedEvent]) async throws -> Void
    ) async throws {
        var query = EventQuery(limit: ExportRoutes.pageEvents)
        query.sessionID = session.id
        query.types = types
        query.maxBytes = 1 << 20
        while true {
            let page = try await database.use { store throws(PersistenceError) in
                try await store.events(query)
            }
            if !page.events.isEmpty { try await body(page.events) }
            guard let place = page.through ?? (page.events.count == query.limit ? page.events.last?.seq : nil) else {
                return
            }
            query.after = place
        }
    }

    private func eachRequest(of session: Session, _ body: ([RequestRecord]) async throws -> Void) async throws {
        var place: (at: Timestamp, key: String)?
        while true {
            let page = try await database.use { store throws(PersistenceError) in
                try await store.requests(of: session.id, after: place, limit: ExportRoutes.pageEvents)
            }
            if !page.requests.isEmpty { try await body(page.requests) }
            guard page.hasMore, let last = page.requests.last else { return }
            place = (last.usage.at, last.key)
        }
    }
}

/// JSON objects with their types, one per line.
private struct JSONLines {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ type: String, _ fields: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("type", type)
        fields(&writer)
        writer.endObject()
        bytes += writer.bytes
        bytes.append(UInt8(ascii: "\n"))
    }
}
