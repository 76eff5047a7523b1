package import EventModel
internal import HTTPModel
internal import JSON

/// A question that a model asks a person.
package struct PersonQuestion: Sendable, Equatable {
    package var text: String
    /// At most four. A person may also answer in other words.
    package var choices: [String]
    /// Claude's id of the call, if the caller is Claude Code.
    package var toolUseID: String?
    /// As in `AskedCall`.
    package var session: String?
    package var policy: String?
    package var seconds: Double
    package var grant: MachineGrant

    static let seconds: ClosedRange<Int64> = 1...3600
    static let usualSeconds: Int64 = 600
    static let mostText = 2000
    static let mostChoices = 4
    static let mostChoice = 200

    init(_ call: ToolCall, _ headers: HTTPHeaders, by grant: MachineGrant) throws(APIError) {
        self.grant = grant
        guard let text = call.arguments["question"]?.string, PersonQuestion.isText(text, PersonQuestion.mostText) else {
            throw .invalid("invalid_parameter", "'question' must be a text of 1 to 2000 bytes.", param: "question")
        }
        self.text = text
        choices = try PersonQuestion.choices(call.arguments["choices"])
        let seconds = call.arguments["timeout_seconds"].map(\.integer) ?? PersonQuestion.usualSeconds
        guard let seconds, PersonQuestion.seconds.contains(seconds) else {
            throw .invalid(
                "invalid_parameter",
                "'timeout_seconds' must be a whole number from 1 to 3600.",
                param: "timeout_seconds"
            )
        }
        self.seconds = Double(seconds)
        if let unknown = call.arguments.names.first(where: { !AskPersonTool.arguments.contains($0) }) {
            let named = PlainText.line(unknown, atMost: 64)
            throw .invalid("invalid_parameter", "There is no argument '\(named)'.", param: named)
        }
        toolUseID = call.toolUseID.flatMap { AskedCall.isID($0) ? $0 : nil }
        session = try AskedCall.session(headers)
        policy = try AskedCall.policy(headers)
    }

    private static func choices(_ given: JSONValue?) throws(APIError) -> [String] {
        guard let given, given != .null else { return [] }
        let texts = (given.array ?? []).compactMap(\.string)
        guard let count = given.array?.count, count == texts.count, count <= mostChoices,
            texts.allSatisfy({ isText($0, mostChoice) }), Set(texts.map { Array($0.utf8) }).count == count
        else {
            throw .invalid(
                "invalid_parameter",
                "'choices' must be at most 4 different texts of 1 to 200 bytes.",
                param: "choices"
            )
        }
        return texts
    }

    private static func isText(_ text: String, _ most: Int) -> Bool {
        text.utf8.count <= most && text.unicodeScalars.contains { !$0.properties.isWhitespace }
    }
}

/// What a person says to a question.
package struct PersonReply: Sendable, Equatable {
    package var text: String
    /// What the person adds.
    package var note: String?

    package init(text: String, note: String?) { (self.text, self.note) = (text, note) }
}

extension JSONValue {
    fileprivate var names: [String] {
        guard case .object(let members) = self else { return [] }
        return members.map(\.0)
    }
}
