internal import HTTPModel
internal import JSON

/// The body of a request to run a tool. Pure.
struct ExecuteRequest: Sendable {
    /// The program's answer to the question whether the call may run.
    enum Response: Sendable, Equatable {
        /// The program keeps waiting. This approves nothing.
        case accept
        /// The program no longer wants the call.
        case cancel
    }

    static let mostLevels = 64
    /// Agents accept no longer messages.
    static let mostBytes = 900 << 10
    private static let mostStateBytes = 4096

    var slug: String
    /// An object.
    var arguments: JSONValue
    /// The account that is to be used, by its id or alias.
    var account: String?
    /// The project in whose directory a machine's tool runs.
    var project: String?
    /// The user of a call without a session.
    var userID: String?
    var response: Response?
    /// The state, as the program got it.
    var state: String?

    /// - Parameter slug: from the path; `nil` if the body has it.
    init(_ body: [UInt8], slug: String? = nil) throws(APIError) {
        let json = try ExecuteRequest.object(body)
        let reader = ConfigReader(json)
        let named = json["tool_slug"] ?? json["slug"] ?? json["tool_name"]
        guard let name = slug ?? named?.string, (1...300).contains(name.utf8.count) else {
            throw RouterFault.badRequest("'tool_slug' must be the name of a tool.", param: "tool_slug")
        }
        self.slug = name.uppercased()
        arguments = json["arguments"].flatMap { $0 == .null ? nil : $0 } ?? .object([])
        guard arguments.isObject else {
            throw RouterFault.badRequest("'arguments' must be an object.", param: "arguments")
        }
        account = try reader.text("account", atMost: 200)
        if account == nil { account = try reader.text("connected_account_id", atMost: 200) }
        project = try reader.text("project_id", atMost: 200)
        userID = try reader.text("user_id", atMost: 256)
        state = try reader.text("request_state", atMost: ExecuteRequest.mostStateBytes)
        response = try ExecuteRequest.response(json["input_responses"])
        guard (state == nil) == (response == nil) else {
            throw RouterFault.badRequest(
                "'input_responses' and 'request_state' come together: both are of the answer 'input_required'.",
                param: state == nil ? "request_state" : "input_responses"
            )
        }
    }

    /// - Parameter arguments: an object.
    init(slug: String, _ arguments: JSONValue) {
        (self.slug, self.arguments) = (slug.uppercased(), arguments)
    }

    static func object(_ body: [UInt8]) throws(APIError) -> JSONValue {
        guard let json = try? JSONValue.parse(body, maxDepth: mostLevels), json.isObject else {
            throw RouterFault.badRequest("The body must be a JSON object.")
        }
        return json
    }

    private static func response(_ value: JSONValue?) throws(APIError) -> Response? {
        guard let value, value != .null else { return nil }
        guard let answer = value["approval"], let action = answer["action"]?.string else {
            throw RouterFault.badRequest(
                "'input_responses' must have 'approval' with an 'action'.",
                param: "input_responses"
            )
        }
        switch action {
        case "accept": return answer["content"]?["ok"]?.bool == false ? .cancel : .accept
        case "decline", "cancel": return .cancel
        default:
            throw RouterFault.badRequest(
                "'action' must be accept, decline or cancel.",
                param: "input_responses"
            )
        }
    }

    static let schema = JSONSchema.object([
        "tool_slug?": JSONSchema.text, "arguments?": JSONSchema.any, "account?": JSONSchema.printable(200),
        "project_id?": JSONSchema.printable(200), "input_responses?": JSONSchema.any,
        "request_state?": JSONSchema.printable(mostStateBytes),
    ])
}
