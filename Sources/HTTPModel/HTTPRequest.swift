/// One HTTP request, as far as the rooms behind the listener care.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// Percent-encoded as it came, without the query; starts with `/`.
    public var path: String
    /// Without the question mark; empty if there is none.
    public var query: String
    /// The listener passes on the headers that some room reads, and no others.
    public var headers: HTTPHeaders
    public var body: [UInt8]
    /// Unique in this process's life; sent back as `X-Request-Id`.
    public var requestID: String
    /// For logs and limits; empty for a unix socket.
    public var peerAddress: String
    /// The `Origin`, where the operator lists it: pages of that origin may read the answer.
    public var readableOrigin: String?
    /// What whoever admitted the request has found out about it already; `nil` if nothing.
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
