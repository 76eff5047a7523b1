/// One HTTP request, as the modules behind the listener see it.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// Percent-encoded in one spelling, without the query; starts with `/`. See `PercentEncoding.normalizedPath`.
    public var path: String
    /// Without the question mark; empty if there is none.
    public var query: String
    /// The listener passes on the headers that a module reads, and no others.
    public var headers: HTTPHeaders
    public var body: [UInt8]
    /// Unique in the process; sent back as `X-Request-Id`.
    public var requestID: String
    /// For logs and limits; empty for a unix socket.
    public var peerAddress: String
    /// The `Origin`, if the operator has configured it: pages of that origin may read the answer.
    public var readableOrigin: String?
    /// What `RequestHandler.admit` has found out about the request already; nil: nothing.
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
