internal import JSON

/// A line of the client that speaks to the bridge.
enum ClientMessage: Equatable {
    case request(BridgedCall)
    /// The client no longer waits for the request of this id.
    case cancelled(JSONValue)
    /// A notification or a response. The server does not act on them.
    case other
    /// - Parameter id: null if there is none that may be echoed.
    case invalid(id: JSONValue, code: Int64, message: String)

    /// Levels of nested values.
    private static let maximumDepth = 128
    private static let mostIDBytes = 1024

    init(_ line: [UInt8]) {
        guard let json = try? JSONValue.parse(line, maxDepth: ClientMessage.maximumDepth) else {
            self = .invalid(id: .null, code: -32700, message: "Parse error")
            return
        }
        guard json.isObject else {
            self = .invalid(id: .null, code: -32600, message: "Invalid request: not an object")
            return
        }
        guard let method = json["method"]?.string else {
            self = .other
            return
        }
        guard let id = json["id"] else {
            let cancels = method == "notifications/cancelled"
            self = cancels ? json["params"]?["requestId"].map(ClientMessage.cancelled) ?? .other : .other
            return
        }
        guard ClientMessage.mayIdentify(id) else {
            self = .invalid(id: .null, code: -32600, message: "Invalid request: id")
            return
        }
        // The server compares it with a header.
        guard HeaderText.isPlain(method) else {
            self = .invalid(id: id, code: -32601, message: "Method not found")
            return
        }
        self = .request(BridgedCall(id, method, json["params"] ?? .null, line))
    }

    private static func mayIdentify(_ id: JSONValue) -> Bool {
        switch id {
        case .string(let text): text.utf8.count <= mostIDBytes
        case .integer: true
        default: false
        }
    }
}

/// A request of the client.
struct BridgedCall: Equatable {
    /// A string or an integer.
    let id: JSONValue
    let method: String
    /// The tool, if the request calls one.
    let tool: String?
    let arguments: JSONValue
    /// The revision of the protocol, in those requests that name it.
    let version: String?
    /// Names the request in reports of its progress.
    let progressToken: JSONValue?
    let body: [UInt8]
    /// Whether the request has Claude's id of the call, by which the server knows it again.
    private let isNamed: Bool

    init(_ id: JSONValue, _ method: String, _ params: JSONValue, _ body: [UInt8]) {
        (self.id, self.method, self.body) = (id, method, body)
        tool = method == "tools/call" ? params["name"]?.string : nil
        arguments = params["arguments"] ?? .null
        isNamed = params["_meta"]?["claudecode/toolUseId"]?.string != nil
        version = params["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.string
        progressToken = params["_meta"]?["progressToken"]
    }

    /// Whether the result of the request lists the server's capabilities.
    var introducesServer: Bool { ["initialize", "server/discover"].contains(method) }

    var asksForApproval: Bool { tool == "approve" }
    var asksQuestion: Bool { tool == "ask_person" }

    /// Whether the server may get the request again if nobody knows whether it had it. What asks a person has the id of
    /// a call. Other tools may do something.
    var isRepeatable: Bool { method != "tools/call" || asksForApproval || asksQuestion && isNamed }
}
