import EventModel
import JSON
package import Sessions

/// Reads prompts that no tracker follows any more. They are needed because the server's own updates can arrive after a
/// prompt's end.
struct StrayPrompts {
    private var prompts: [String: Prompt] = [:]

    subscript(id: String) -> Prompt? { prompts[id] }

    /// - Parameter isFollowed: whether the tracker of the session follows the prompt.
    mutating func read(
        for events: [CommittedEvent],
        on connection: PQConnection,
        isFollowed: (_ sessionID: String, _ promptID: String) -> Bool
    ) throws(PersistenceError) {
        var wanted: Set<String> = []
        for event in events {
            guard let session = event.event.sessionID, let update = PromptUpdate(event),
                !isFollowed(session, update.promptID)
            else { continue }
            wanted.insert(update.promptID)
        }
        guard !wanted.isEmpty else { return }
        for row in try connection.query(PromptStatements.byID, Parameters(of: wanted)).rows {
            if let prompt = try Prompt(row: row, 0) { prompts[prompt.id] = prompt }
        }
    }

    mutating func forget() { prompts = [:] }
}

extension Prompt {
    /// Returns `nil` if the column cannot be decoded.
    package init?(row: PQRow, _ column: Int) throws(PersistenceError) {
        guard let json = try? JSONValue.parse(try row.value(column)), let prompt = Prompt(stored: json) else {
            return nil
        }
        self = prompt
    }
}
