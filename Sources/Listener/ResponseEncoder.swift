internal import HTTPModel

/// A response's head as bytes (RFC 9112 §4, §5).
enum ResponseEncoder {
    enum Framing {
        /// `Content-Length`, also for a HEAD, which has no body.
        case length(Int)
        /// The response ends with the connection.
        case untilClose
        case chunked
        /// Only for a HEAD: the length of the body that a GET would return is not known.
        case unknown
    }

    /// Returns the head without the body. `requestID` must be safe: see `RequestIdentifier`.
    static func head(
        of response: HTTPResponse,
        framing: Framing,
        closes: Bool,
        oldClient: Bool,
        requestID: String
    ) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(480 + bodyLength(framing))
        out += "HTTP/1.1 ".utf8
        out += String(response.status).utf8
        out += " ".utf8
        out += reason(response.status).utf8
        out += "\r\n".utf8
        for header in response.headers { append(header.name, header.value, to: &out) }
        append("x-request-id", requestID, to: &out)
        if case .length(let length) = framing, response.status >= 200, response.status != 204, response.status != 304 {
            append("content-length", String(length), to: &out)
        }
        if case .chunked = framing { append("transfer-encoding", "chunked", to: &out) }
        if response.status == 426 {
            append("connection", closes ? "upgrade, close" : "upgrade", to: &out)
        } else if closes {
            append("connection", "close", to: &out)
        } else if oldClient {
            append("connection", "keep-alive", to: &out)
        }
        if response.status == 426 {
            append("upgrade", "websocket", to: &out)
            append("sec-websocket-version", "13", to: &out)
        }
        out += "\r\n".utf8
        return out
    }

    /// Returns false for 1xx, 204 and 304, which have no body.
    static func allowsBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// Reserves room for a small body, which is sent together with its head.
    private static func bodyLength(_ framing: Framing) -> Int {
        if case .length(let length) = framing, length <= 32 * 1024 { return length }
        return 0
    }

    /// A byte that would end the line becomes a space, so that a value cannot add a header.
    private static func append(_ name: String, _ value: String, to out: inout [UInt8]) {
        let start = out.count
        out += name.utf8
        for index in start..<out.count where out[index] <= 32 || out[index] == 58 || out[index] == 127 {
            out[index] = 45
        }
        out += ": ".utf8
        let valueStart = out.count
        out += value.utf8
        for index in valueStart..<out.count where out[index] < 32 && out[index] != 9 || out[index] == 127 {
            out[index] = 32
        }
        out += "\r\n".utf8
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 431: "Request Header Fields Too Large"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
