internal import HTTPClient
internal import HTTPModel
internal import RPC

/// Why a request to a remote MCP server has no result. Its text has words of the server only where that says so, on one
/// line and cut.
enum RemoteFault: Error, Sendable, Equatable {
    /// There is no response, or not a whole one.
    case exchange(OutboundError)
    /// The server wants other credentials. The challenge is its header `WWW-Authenticate`.
    case unauthorized(challenge: String?)
    /// The server wants a token with this scope, names with spaces between; empty if it does not say which.
    case needsScope(String)
    /// A status without a message of the protocol.
    case status(Int)
    /// The server answered with an error.
    case failed(code: Int64, message: String)
    /// What came is no message of the protocol.
    case malformed(String)
    /// The message has more values than are taken. A retry does not help.
    case tooManyValues
    /// The stream ended without the answer.
    case noAnswer
    /// The server asks for something that only a person at a client can give.
    case needsInput
    /// What is stored of the server cannot be used.
    case unreadable(String)

    var text: String {
        switch self {
        case .exchange(let error): error.description
        case .unauthorized: "the server refuses the credentials (status 401)"
        case .needsScope(let scope):
            "the server wants a wider scope, for which a person must log in again"
                + (scope.isEmpty ? "" : ": \(PlainText.lines(scope, atMost: 200))")
        case .status(let status): "the server answers with status \(status)"
        case .failed(_, let message): "the server says: \(message)"
        case .malformed(let what): what
        case .tooManyValues: "the answer has more than \(RemoteAnswer.mostValues) values"
        case .noAnswer: "the server ended its answer before the result"
        case .unreadable(let why): why
        case .needsInput: "the tool asks for input, which remote calls cannot give"
        }
    }

    /// Whether the request may have been carried out, so that it must not be repeated.
    var mayHaveRun: Bool {
        switch self {
        case .exchange(.connection(let error)):
            ![.notResolved, .notConnected, .handshakeFailed, .untrusted, .forbiddenAddress, .outOfMemory]
                .contains(error.code)
        case .exchange(.redirected), .exchange(.busy): false
        case .exchange, .malformed, .tooManyValues, .noAnswer: true
        case .unauthorized, .needsScope, .needsInput, .unreadable: false
        case .status(let status): !(300..<500).contains(status) && status != 503
        // The request itself was refused; JSON-RPC's other codes say that something failed.
        case .failed(let code, _):
            !(-32602 ... -32600).contains(code) && code != -32700 && !MCPNames.statelessCodes.contains(code)
        }
    }

    /// Whether the server may speak otherwise than it was found to, or has forgotten the session. Such a request was
    /// not carried out.
    var mayBeOtherDialect: Bool {
        switch self {
        case .status(let status): [400, 404, 405, 406].contains(status)
        case .failed(let code, _): [-32600, -32601].contains(code) || MCPNames.statelessCodes.contains(code)
        case .exchange, .unauthorized, .needsScope, .malformed, .tooManyValues, .noAnswer, .needsInput, .unreadable:
            false
        }
    }
}
