internal import API
internal import HTTPModel
internal import JSON

/// A request for a project chat: a chat request that names a session or a project.
struct ProjectRequest: Sendable {
    var chat: ChatRequest
    var sessionID: String?
    var projectID: String?
    /// What is to be answered.
    var text: String
    var images: [MessageImage]
    var toolLimits: ToolLimits?

    /// Bytes of a message to a session.
    private static let mostText = 32 << 10
    private static let mostSystemPrompt = 256 << 10
    /// Claude has tools of its own, and its own way to end. Fields with these names would widen or replace them.
    private static let refused: [ChatField] = [
        .tools, .toolChoice, .functions, .functionCall, .responseFormat,
    ]
    /// Claude Code decides on these by itself.
    private static let uncounted: [ChatField] = [.stop, .maxTokens, .maxCompletionTokens]

    /// Whether the request names a session or a project.
    static func isMeant(by json: JSONValue) -> Bool {
        [ChatField.sessionID, .projectID].contains { field in json[field.rawValue].map { $0 != .null } ?? false }
    }

    init(_ json: JSONValue) throws(APIError) {
        for field in ProjectRequest.refused {
            guard let value = json[field.rawValue], !field.asksForNothing(value) else { continue }
            throw .refused(field, "Project chats do not have '\(field.rawValue)': Claude uses its own tools.")
        }
        guard json["permission_mode"].map({ $0 == .null }) ?? true else {
            throw .invalid("invalid_parameter", "A chat cannot choose a mode.", param: "permission_mode")
        }
        toolLimits = try ToolLimits(json)
        chat = try ChatRequest(json, isOfProject: true)
        for field in ProjectRequest.uncounted where json[field.rawValue].map({ $0 != .null }) ?? false {
            chat.ignored.append(field.rawValue)
        }
        (sessionID, projectID) = (try ProjectRequest.name(.sessionID, json), try ProjectRequest.name(.projectID, json))
        guard chat.systemPrompt?.utf8.count ?? 0 <= ProjectRequest.mostSystemPrompt else {
            throw .refused(.messages, "The system messages have at most \(ProjectRequest.mostSystemPrompt >> 10) KiB.")
        }
        (text, images) = try ProjectRequest.message(chat.content)
    }

    private static func name(_ field: ChatField, _ json: JSONValue) throws(APIError) -> String? {
        guard let text = try json.text(field) else { return nil }
        guard (1...256).contains(text.utf8.count) else {
            throw .refused(field, "'\(field.rawValue)' must have 1 to 256 bytes.")
        }
        return text
    }

    /// A message to a session has one text, and pictures.
    private static func message(_ content: JSONValue) throws(APIError) -> (String, [MessageImage]) {
        var texts = content.string.map { [$0] } ?? []
        var pictures: [JSONValue] = []
        for block in content.array ?? [] {
            if let text = block["text"]?.string { texts.append(text) }
            guard let source = block["source"] else { continue }
            guard source["type"]?.string == "base64" else {
                throw .refused(.messages, "A picture in a project chat must be a data URL.")
            }
            pictures.append(source)
        }
        let text = texts.joined(separator: "\n\n")
        guard (1...mostText).contains(text.utf8.count) else {
            throw .refused(.messages, "A message to a session has 1 to \(mostText) bytes of text.")
        }
        return (text, try MessageImage.list(of: .object([("images", .array(pictures))])))
    }
}
