internal import HTTPModel

/// A response's head as bytes (RFC 9112 §4, §5).
enum ResponseEncoder {
    enum Framing {
        /// `Content-Length`, also where the body itself stays away (HEAD).
        case length(Int)
        /// Ends with the connection.
        case untilClose
    }

    /// Without the body. `requestID` has been found harmless.
    static func head(
        of response: HTTPResponse,
        framing: Framing,
        closes: Bool,
        oldClient: Bool,
        requestID: String
    ) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(256)
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

    /// A body may go with it: not with 1xx, 204 and 304.
    static func allowsBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// A byte that would end the line becomes a space: a value can never make a second header.
    private static func append(_ name: String, _ value: String, to out: inout [UInt8]) {
        for byte in name.utf8 { out.append(byte <= 32 || byte == 58 || byte == 127 ? 45 : byte) }
        out += ": ".utf8
        for byte in value.utf8 { out.append(byte < 32 && byte != 9 || byte == 127 ? 32 : byte) }
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
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
