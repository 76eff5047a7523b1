/// An HTTP request, as the listener passes it to the other modules.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// The path without the query, in the form of `PercentEncoding.normalizedPath`. Starts with `/`.
    public var path: String
    /// The query without the question mark. Empty if there is none.
    public var query: String
    /// The listener passes on only the headers that a module reads. `host` is the name that the client used: behind a
    /// trusted proxy its `X-Forwarded-Host`, if that is a name of the server.
    public var headers: HTTPHeaders
    public var body: [UInt8]
    /// Unique in the process. Returned to the client as `X-Request-Id`.
    public var requestID: String
    /// The client's address, for logs and limits. Empty for a unix socket.
    public var peerAddress: String
    /// Whether the client's own connection uses TLS, by a trusted proxy. `nil` if there is none, or it does not say.
    public var isForwardedSecurely: Bool?
    /// The path below which a trusted proxy publishes the server: empty, or `/name`. The proxy has removed it.
    public var forwardedPrefix = ""
    /// The `Origin`, if the operator has configured it. Pages of this origin may read the answer.
    public var readableOrigin: String?
    /// The result of `RequestHandler.admit` for this request, or `nil` if it had none.
    public var admission: (any Sendable)?

    public init(
        method: HTTPMethod,
        path: String,
        query: String = "",
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        requestID: String = "",
        peerAddress: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.requestID = requestID
        self.peerAddress = peerAddress
    }
}

public enum HTTPMethod: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
}
