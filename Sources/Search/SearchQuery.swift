package import EventModel

/// The source of the text that was found: a person, the model or a tool.
package enum SearchKind: String, Sendable, CaseIterable {
    case prompt
    case answer
    case thinking
    case toolInput = "tool_input"
    case toolOutput = "tool_output"
}

extension SearchKind {
    /// The kinds that each word of a request means: a kind, or a group of them.
    package static let groups: [(word: String, kinds: [SearchKind])] =
        allCases.map { ($0.rawValue, [$0]) } + [
            ("message", [.answer, .thinking]), ("tool", [.toolInput, .toolOutput]),
        ]
}

package struct SearchQuery: Sendable {
    package var expression: SearchExpression
    package var sessionID: String?
    package var machine: MachineID?
    package var workspaceID: String?
    package var from: Timestamp?
    package var to: Timestamp?
    /// Only matches of these kinds; empty means all.
    package var kinds: [SearchKind] = []
    /// Finds only matches before this place.
    package var before: SearchPlace?
    package var limit: Int

    package init(_ expression: SearchExpression, limit: Int) {
        self.expression = expression
        self.limit = limit
    }
}

/// Orders the matches, newest first. Lines of transcripts come before events of the same time.
package struct SearchPlace: Sendable, Equatable {
    package var at: Timestamp
    package var isLine: Bool
    /// The line number in the transcript, or the event's `seq`.
    package var number: Int64

    package init(at: Timestamp, isLine: Bool, number: Int64) {
        self.at = at
        self.isLine = isLine
        self.number = number
    }
}

package struct SearchResult: Sendable, Equatable {
    package var place: SearchPlace
    package var sessionID: String
    package var kind: String
    package var snippet: String
}

package struct SearchPage: Sendable {
    package var results: [SearchResult]
    package var hasMore: Bool

    package init(results: [SearchResult], hasMore: Bool) {
        self.results = results
        self.hasMore = hasMore
    }
}
