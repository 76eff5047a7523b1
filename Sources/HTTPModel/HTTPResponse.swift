/// One HTTP response. The listener adds `Content-Length`, `Transfer-Encoding`, `Connection` and `X-Request-Id`.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Writes the rest of the body, after `body`. If `nil`, `body` is the whole body.
    public var stream: BodyStream?
    /// The bytes of the body that are specific to this request, such as its id. The entity tag does not include them.
    public var passing: Range<Int>?

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    public static func json(status: Int = 200, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("content-type", "application/json")], body: body)
    }

    public static func text(status: Int = 200, _ text: String, type: String = "text/plain; charset=utf-8")
        -> HTTPResponse
    {
        HTTPResponse(status: status, headers: [("content-type", type)], body: Array(text.utf8))
    }
}
