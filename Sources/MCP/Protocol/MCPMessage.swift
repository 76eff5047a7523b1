internal import JSON
internal import RPC

/// A message of a client, read and checked by the rules of its revision.
enum MCPMessage: Sendable, Equatable {
    case request(MCPRequest)
    /// Has no answer. This server acts on none.
    case notification

    /// The levels of nested values in a message.
    private static let maximumDepth = 64

    init(_ body: [UInt8], _ headers: MCPHeaders) throws(MCPFault) {
        guard let json = try? JSONValue.parse(body, maxDepth: MCPMessage.maximumDepth) else {
            throw MCPFault(status: 400, error: .parseError())
        }
        switch RPCItem(json) {
        case .request(let id, let method, let params):
            self = .request(try MCPMessage.request(id, method, params ?? .object([]), headers))
        case .notification:
            if let version = headers.version, MCPVersion(rawValue: version) == nil {
                throw MCPFault(status: 400, error: .unsupportedVersion(version))
            }
            self = .notification
        case .response: throw MCPFault(status: 400, error: .invalidRequest("this server asks nothing"))
        case .invalid(let id, let error):
            throw MCPFault(status: 400, error: error, id: MCPMessage.mayIdentify(id) ? id : .null)
        }
    }

    /// Bytes of an id, which is kept as long as the request is.
    private static let mostIDBytes = 1024

    /// Unlike JSON-RPC, the protocol has no ids that are null or fractions.
    private static func mayIdentify(_ id: JSONValue) -> Bool {
        switch id {
        case .string(let text): text.utf8.count <= mostIDBytes
        case .integer: true
        default: false
        }
    }

    private static func request(
        _ id: JSONValue,
        _ method: String,
        _ params: JSONValue,
        _ headers: MCPHeaders
    ) throws(MCPFault) -> MCPRequest {
        guard mayIdentify(id) else {
            throw MCPFault(
                status: 400,
                error: .invalidRequest("id is neither a string of at most 1 KiB nor an integer")
            )
        }
        guard params.isObject else { throw MCPFault(status: 400, error: .invalidParams("not an object"), id: id) }
        let version: MCPVersion
        do throws(RPCError) {
            version = try MCPVersion(method, params, headers)
            if version.isStateless { try StatelessRules.check(method, params, headers) }
        } catch {
            throw MCPFault(status: 400, error: error, id: id)
        }
        do throws(RPCError) {
            return MCPRequest(id: id, version: version, method: try MCPMethod(method, params, version))
        } catch {
            // To older clients a 404 means that the whole endpoint is gone.
            let isNotFound = version.isStateless && error.code == RPCError.methodNotFound().code
            throw MCPFault(status: isNotFound ? 404 : 200, error: error, id: id)
        }
    }
}
