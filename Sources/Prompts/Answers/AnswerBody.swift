internal import EventModel
package import HTTPModel
package import JSON
package import Sessions

/// The body of an answer, with the types of its members checked. `AnswerRules` checks whether it fits the prompt.
package struct AnswerBody: Sendable, Equatable {
    private static let maximumText = 64 << 10

    package var answerID: String?
    package var decision: Prompt.Decision?
    package var scope: PromptAnswer.Scope?
    package var message: String?
    package var isInterrupt = false
    package var updatedInput: JSONValue?
    /// One entry for each question, in the order of the body.
    package var answers: [(question: String, chosen: [String])]?
    package var notes: [(question: String, text: String)] = []
    package var mode: String?
    package var plan: String?
    package var action: String?
    package var content: JSONValue?
    package var permissions: [JSONValue] = []
    /// The whole body. It can be decoded again from this value.
    package let json: JSONValue

    package init(_ json: JSONValue) throws(APIError) {
        guard json.isObject else { throw .invalid("invalid_json", "The body must be a JSON object.") }
        self.json = json
        if let text = try AnswerBody.text(json, "answer_id") {
            guard let id = EventID(text) else { throw .unfit("'answer_id' must be a UUID.", "answer_id") }
            answerID = id.description
        }
        decision = try AnswerBody.word(json, "decision")
        scope = try AnswerBody.word(json, "scope")
        message = try AnswerBody.text(json, "message")
        if let value = AnswerBody.member(json, "interrupt") {
            guard let flag = value.bool else { throw .unfit("'interrupt' must be true or false.", "interrupt") }
            isInterrupt = flag
        }
        updatedInput = try AnswerBody.object(json, "updated_input")
        answers = try AnswerBody.choices(json)
        notes = try AnswerBody.texts(json, "notes")
        mode = try AnswerBody.text(json, "mode")
        plan = try AnswerBody.text(json, "plan", atMost: 1 << 20)
        action = try AnswerBody.text(json, "action")
        content = try AnswerBody.object(json, "content")
        if let value = AnswerBody.member(json, "permissions") {
            guard let list = value.array, list.count <= 20 else {
                throw .unfit("'permissions' must be an array of at most 20.", "permissions")
            }
            permissions = list
        }
    }

    /// The person's words: the reason of a refusal, or the answers to the questions.
    var said: String? {
        if let message, !message.isEmpty { return message }
        return answers.map { $0.map { $0.chosen.joined(separator: ", ") }.joined(separator: "; ") }
    }

    package static func == (left: AnswerBody, right: AnswerBody) -> Bool { left.json == right.json }

    private static func member(_ json: JSONValue, _ name: String) -> JSONValue? {
        guard let value = json[name], value != .null else { return nil }
        return value
    }

    private static func text(_ json: JSONValue, _ name: String, atMost limit: Int = maximumText) throws(APIError)
        -> String?
    {
        guard let value = member(json, name) else { return nil }
        guard let text = value.string, text.utf8.count <= limit else {
            throw .unfit("'\(name)' must be a string of at most \(limit) bytes.", name)
        }
        return text
    }

    private static func object(_ json: JSONValue, _ name: String) throws(APIError) -> JSONValue? {
        guard let value = member(json, name) else { return nil }
        guard value.isObject else { throw .unfit("'\(name)' must be an object.", name) }
        guard !value.repeatsNames else { throw .unfit("'\(name)' names a member twice.", name) }
        return value
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ json: JSONValue,
        _ name: String
    ) throws(APIError) -> Word? {
        guard let text = try text(json, name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .unfit("'\(name)' must be one of \(words).", name)
        }
        return word
    }

    private static func choices(_ json: JSONValue) throws(APIError) -> [(question: String, chosen: [String])]? {
        guard let value = try object(json, "answers"), case .object(let members) = value else { return nil }
        var choices: [(question: String, chosen: [String])] = []
        for (question, chosen) in members {
            let labels = chosen.string.map { [$0] } ?? chosen.array?.compactMap(\.string) ?? []
            guard !labels.isEmpty, labels.count == chosen.array?.count ?? 1,
                labels.allSatisfy({ !$0.isEmpty && $0.utf8.count <= maximumText })
            else { throw .unfit("'answers' must give a text, or a list of texts, for each question.", "answers") }
            choices.append((question, labels))
        }
        return choices
    }

    private static func texts(_ json: JSONValue, _ name: String) throws(APIError) -> [(question: String, text: String)]
    {
        guard let value = try object(json, name), case .object(let members) = value else { return [] }
        var texts: [(question: String, text: String)] = []
        for (question, text) in members {
            guard let text = text.string, text.utf8.count <= maximumText else {
                throw .unfit("'\(name)' must give a text for each question.", name)
            }
            texts.append((question, text))
        }
        return texts
    }
}

extension APIError {
    /// The error for an allowance of what the device has seen only masked.
    static let notShown = APIError(
        .invalidRequest,
        status: 422,
        code: "not_shown",
        message: """
            A part of the request was not shown to this device. Read it whole first: \
            GET /v1/prompts/{id}?reveal=true, or monitorctl prompts ID --reveal. It can be denied without that.
            """,
        param: "decision"
    )

    /// The error for an answer that does not fit the prompt.
    static func unfit(_ message: String, _ param: String? = nil) -> APIError {
        APIError(.invalidRequest, status: 422, code: "invalid_answer", message: message, param: param)
    }
}

extension JSONValue {
    /// Whether the value, or any object in it, repeats a member name. Readers differ in which of the two members they
    /// use.
    var repeatsNames: Bool {
        switch self {
        case .object(let members):
            Set(members.map(\.0)).count != members.count || members.contains { $0.1.repeatsNames }
        case .array(let values): values.contains { $0.repeatsNames }
        default: false
        }
    }

    /// The object with a member replaced, or added at the end.
    func setting(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members.removeAll { $0.0 == name }
        members.append((name, value))
        return .object(members)
    }
}
