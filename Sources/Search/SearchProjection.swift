package import EventModel
internal import JSON
package import Logging
package import Persistence

/// The table `search_events`: the text of hook events, as stored.
package final class SearchProjection: FoldingProjection {
    package static let identity = ProjectionIdentity(name: "search", version: 2)

    package let name: String = SearchProjection.identity.name
    package let version: Int64 = SearchProjection.identity.version
    package let pacing: ProjectionPacing = .relaxed
    package let tables: [String] = ["search_events"]

    private let logger: Logger
    private let parser = JSONParser(maxDepth: 512)
    private var rows: [SearchedEvent] = []

    package static func source(logger: Logger) -> ProjectionSource {
        ProjectionSource(identity.name, .folding { SearchProjection(logger: logger) })
    }

    init(logger: Logger) {
        self.logger = logger
    }

    package var changedRows: Int { rows.count }

    package func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        for event in events {
            if let row = SearchedEvent(event, parser) { rows.append(row) }
        }
    }

    package func statements() -> [(Statement, Parameters)] {
        rows.isEmpty ? [] : [(SearchProjection.insert, SearchProjection.parameters(rows))]
    }

    package func written() { forget() }
    package func forget() { rows = [] }

    package func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int {
        var refused = 0
        for row in rows {
            do throws(PersistenceError) {
                _ = try connection.query(SearchProjection.insert, SearchProjection.parameters([row]))
            } catch {
                guard error.isDataError else { throw error }
                refused += 1
            }
        }
        forget()
        if refused > 0 { logger.error("events cannot be searched", metadata: ["events": "\(refused)"]) }
        return refused
    }

    package func clear(through seq: Int64, on connection: PQConnection) throws(PersistenceError) {
        _ = try connection.query(SearchProjection.clear)
    }

    private static func parameters(_ rows: [SearchedEvent]) -> Parameters { Parameters(of: columns.arrays(rows)) }

    private static let columns = RowColumns<SearchedEvent>()
        .column("seq", \.event.seq)
        .column("session_id") { $0.event.event.sessionID ?? "" }
        .column("machine_id", \.event.event.machine)
        .column("workspace_id", \.event.workspaceID)
        .column("at", \.event.event.timestamp)
        .column("kind", \.kind)
        .column("words", \.words)
        .column("lexemes") { SearchLexemes.vector(of: $0.words) }

    private static let insert = Statement(
        "insert_search_events",
        columns.types,
        """
        INSERT INTO search_events (\(columns.names))
        SELECT seq, session_id, machine_id, workspace_id, at, kind, words, lexemes::tsvector
        FROM \(columns.unnest("r")) ON CONFLICT (seq) DO NOTHING
        """
    )

    private static let clear = Statement("clear_search_events", "DELETE FROM search_events")
}

extension SearchKind: PGEncodable {}

/// The searchable text of an event.
struct SearchedEvent {
    /// Maximum number of searchable bytes of an event.
    private static let maxBytes = 16 << 10

    let event: CommittedEvent
    let kind: SearchKind
    let words: String

    /// Returns `nil` for events without text of a person, the model or a tool.
    init?(_ event: CommittedEvent, _ parser: JSONParser) {
        let member: StaticString
        switch event.event.hookEventName?.known {
        case .userPromptSubmit: (kind, member) = (.prompt, "prompt")
        case .stop, .subagentStop: (kind, member) = (.answer, "last_assistant_message")
        case .preToolUse, .preSkillShellCommand: (kind, member) = (.toolInput, "tool_input")
        case .postToolUse: (kind, member) = (.toolOutput, "tool_response")
        case .postToolUseFailure: (kind, member) = (.toolOutput, "error")
        default: return nil
        }
        guard event.event.sessionID != nil,
            let found = try? parser.withDocument(event.event.payload, { SearchedEvent.text(of: $0[member]) }),
            !found.isEmpty
        else { return nil }
        self.event = event
        words = found.utf8.count > SearchedEvent.maxBytes ? found.cut(to: SearchedEvent.maxBytes) : found
    }

    /// The strings of a value and of all its parts, one per line.
    private static func text(of value: JSONElement?) -> String {
        var text = ""
        if let value { append(value, to: &text) }
        return text
    }

    private static func append(_ value: JSONElement, to text: inout String) {
        switch value.kind {
        case .string:
            if !text.isEmpty { text += "\n" }
            text += value.string ?? ""
        case .array: for element in value.elements { append(element, to: &text) }
        case .object: for member in value.members { append(member.value, to: &text) }
        default: break
        }
    }
}
