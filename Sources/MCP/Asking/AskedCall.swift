package import EventModel
internal import HTTPModel
package import JSON

/// A call of a tool that Claude Code wants a person to approve, as it asks with `--permission-prompt-tool`.
package struct AskedCall: Sendable, Equatable {
    package var toolName: String
    /// An object.
    package var input: JSONValue
    /// Claude's id of the call: letters, digits, `_` and `-`.
    package var toolUseID: String
    /// The session that asks, as the caller says.
    package var session: String?
    /// What the machine's file allows, as words `key=value`; `nil` if the caller does not know that file.
    package var policy: String?
    /// How long the caller waits.
    package var seconds: Double
    package var grant: MachineGrant

    static let seconds: ClosedRange<Int64> = 1...3600
    private static let maximumName = 256
    private static let maximumID = 128
    private static let maximumPolicy = 1000

    init(_ call: ToolCall, _ headers: HTTPHeaders, by grant: MachineGrant) throws(APIError) {
        self.grant = grant
        guard let name = call.arguments["tool_name"]?.string, !name.isEmpty, name.utf8.count <= AskedCall.maximumName
        else { throw .invalid("invalid_parameter", "'tool_name' must be the name of a tool.", param: "tool_name") }
        guard let input = call.arguments["input"], input.isObject else {
            throw .invalid("invalid_parameter", "'input' must be an object.", param: "input")
        }
        guard let id = call.arguments["tool_use_id"]?.string, AskedCall.isID(id) else {
            throw .invalid("invalid_parameter", "'tool_use_id' must be the id of a call.", param: "tool_use_id")
        }
        guard call.toolUseID == id else { throw .otherCall }
        (toolName, self.input, toolUseID) = (name, input, id)
        session = try AskedCall.session(headers)
        policy = try AskedCall.policy(headers)
        let told = headers["x-hold-seconds"].map { Int64($0) } ?? AskedCall.seconds.upperBound
        guard let told, AskedCall.seconds.contains(told) else {
            throw .invalid(
                "invalid_hold",
                "The header 'X-Hold-Seconds' must be a whole number from 1 to 3600.",
                param: "X-Hold-Seconds"
            )
        }
        seconds = Double(told)
    }

    static func policy(_ headers: HTTPHeaders) throws(APIError) -> String? {
        let policy = headers["x-hold-policy"]
        guard policy?.utf8.count ?? 0 <= AskedCall.maximumPolicy else {
            throw .invalid("invalid_hold", "The header 'X-Hold-Policy' is too long.", param: "X-Hold-Policy")
        }
        guard policy.flatMap(ToldPolicy.letsAnswer) != false else { throw .notAnswerable }
        return policy
    }

    static func session(_ headers: HTTPHeaders) throws(APIError) -> String? {
        guard let session = headers["x-session-id"], !session.isEmpty else { return nil }
        guard isID(session) else {
            throw .invalid(
                "invalid_parameter",
                "The header 'X-Session-Id' must be the id of a session.",
                param: "X-Session-Id"
            )
        }
        return session
    }

    static func isID(_ text: String) -> Bool {
        (1...maximumID).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension APIError {
    /// Claude Code calls the tool itself with the id of the call that it asks about. A call of the model has its own.
    fileprivate static let otherCall = APIError(
        .permission,
        status: 403,
        code: "not_this_call",
        message: "Claude Code asks for approvals by itself, each for the call that it is about. No model can."
    )

    fileprivate static let notAnswerable = APIError(
        .permission,
        status: 403,
        code: "not_answerable",
        message: "The machine's file lets nobody answer this."
    )
}
