internal import API
internal import HTTPModel
internal import JSON

/// The body of a request to run a tool.
struct ToolCallRequest: Sendable {
    var arguments: JSONValue
    /// At most one of this and the project names the place.
    var sessionID: String?
    var projectID: String?
    var machineID: String?
    /// Seconds for which the request waits for the result.
    var wait: Double
    /// The tools to which the request is narrowed; `nil` means all.
    var only: ToolSet?
    /// Where the caller is. The directory counts for a server of the whole machine if the request names no place.
    var near: Near?
    /// Whether a person is asked even if a rule would allow the call.
    var mustAsk = false
    /// The account whose login at a remote server is used; `nil` for the login that all share.
    var account: String?

    /// The session of a caller, by its id or by Claude's id of the call.
    struct Near: Sendable {
        var sessionID: String?
        var toolUseID: String?
    }

    static let waits: ClosedRange<Int64> = 0...600
    private static let usualWait = 300.0
    private static let mostLevels = 64

    /// - Parameter arguments: an object.
    init(
        _ arguments: JSONValue,
        session: String?,
        project: String?,
        machine: String?,
        near: Near
    ) throws(APIError) {
        self.arguments = try ToolArguments.exact(arguments, "arguments")
        (sessionID, projectID, machineID) = (session, project, machine)
        (wait, self.near) = (0, near)
        guard session == nil || project == nil else { throw ToolCallRequest.twoPlaces }
    }

    private static let twoPlaces = APIError.invalid(
        "invalid_parameter",
        "Name a session or a project, not both.",
        param: "project_id"
    )

    init(_ body: [UInt8]) throws(APIError) {
        let json = try JSONValue(object: body.isEmpty ? Array("{}".utf8) : body, maxDepth: ToolCallRequest.mostLevels)
        var given: [(String, JSONValue)] = []
        for name in ["parameters", "arguments"] {
            if let value = json[name], value != .null { given.append((name, value)) }
        }
        guard given.count < 2 else {
            throw .invalid(
                "invalid_parameter",
                "'parameters' and 'arguments' are the same: give one.",
                param: "arguments"
            )
        }
        arguments = given.first?.1 ?? .object([])
        guard arguments.isObject else {
            throw .invalid("invalid_parameter", "'\(given[0].0)' must be an object.", param: given[0].0)
        }
        arguments = try ToolArguments.exact(arguments, given.first?.0 ?? "arguments")
        sessionID = try ToolCallRequest.id("session_id", json)
        projectID = try ToolCallRequest.id("project_id", json)
        machineID = try ToolCallRequest.id("machine_id", json)
        guard sessionID == nil || projectID == nil else { throw ToolCallRequest.twoPlaces }
        guard let wait = json["wait"], wait != .null else {
            self.wait = ToolCallRequest.usualWait
            return
        }
        guard let seconds = wait.integer, ToolCallRequest.waits.contains(seconds) else {
            throw .invalid("invalid_parameter", "'wait' must be 0 to 600 seconds.", param: "wait")
        }
        self.wait = Double(seconds)
    }

    private static func id(_ name: String, _ json: JSONValue) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let id = value.string, (1...200).contains(id.utf8.count) else {
            throw .invalid("invalid_parameter", "'\(name)' must be an id.", param: name)
        }
        return id
    }

    static let schema = JSONSchema.object([
        "parameters?": JSONSchema.any, "arguments?": JSONSchema.any, "session_id?": JSONSchema.printable(200),
        "project_id?": JSONSchema.printable(200), "machine_id?": JSONSchema.printable(200),
        "wait?": JSONSchema.integer(waits),
    ])
}
