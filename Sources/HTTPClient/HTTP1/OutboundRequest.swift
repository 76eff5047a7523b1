/// A request to another server.
package struct OutboundRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    package var method: Method
    package var location: HTTPLocation
    /// Unlike `Host`, `Content-Length`, `Connection`, `Accept-Encoding` and `User-Agent`, which the client writes.
    package private(set) var headers: [(name: String, value: String)] = []
    package var body: [UInt8]

    package init(_ method: Method, _ location: HTTPLocation, body: [UInt8] = []) {
        (self.method, self.location, self.body) = (method, location, body)
    }

    /// Returns false, and sets nothing, if the header cannot be sent or is one of those that the client writes.
    @discardableResult
    package mutating func set(_ name: String, _ value: String) -> Bool {
        guard OutboundRequest.maySet(name, value) else { return false }
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append((name, value))
        return true
    }

    /// Whether a header can be sent: a name of RFC 9110, and a value of printable ASCII.
    package static func maySet(_ name: String, _ value: String) -> Bool {
        isToken(name) && !own.contains(name.lowercased()) && value.utf8.count <= 8192
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    package static func == (left: OutboundRequest, right: OutboundRequest) -> Bool {
        left.bytes == right.bytes && left.location == right.location
    }

    private static let own: Set<String> = [
        "host", "content-length", "connection", "transfer-encoding", "accept-encoding", "te", "trailer", "upgrade",
        "user-agent", "expect", "keep-alive", "proxy-connection",
    ]

    private static func isToken(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
                }
            }
    }

    var bytes: [UInt8] {
        var head = "\(method.rawValue) \(location.path) HTTP/1.1\r\nHost: \(location.authority)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if method == .post || !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        head += "Connection: close\r\nUser-Agent: claude-monitor\r\n\r\n"
        return Array(head.utf8) + body
    }
}

/// How much of a response is taken, and how long it may take.
package struct OutboundLimits: Sendable, Equatable {
    /// Seconds for the whole exchange, after the name is resolved.
    package var seconds: Double
    /// Bytes of the body.
    package var bytes: Int

    package init(seconds: Double, bytes: Int) {
        (self.seconds, self.bytes) = (seconds, bytes)
    }
}

/// A whole response.
package struct OutboundResponse: Sendable, Equatable {
    package var head: ResponseHead
    package var body: [UInt8]
}
