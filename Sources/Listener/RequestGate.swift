internal import HTTPModel

/// What of a request's head decides whether it comes in. Values as they came.
struct RequestFacts {
    /// nil: a method that this server does not speak.
    var method: HTTPMethod?
    var version = ""
    var host: String?
    var origin: String?
    var contentLength: String?
    var connection: String?
    var expect: String?
    var upgrade: String?
    var webSocketVersion: String?
    var webSocketKey: String?
    var offeredSubprotocols: String?
    /// Any `Transfer-Encoding`.
    var hasTransferEncoding = false
    /// `Content-Length` or `Transfer-Encoding` with a space before the colon: two readers may disagree on it.
    var hasSpacedFraming = false
    /// Came by a unix socket: no browser can, so `Host` says nothing.
    var isLocal = false

    /// The library will look for a body, for good reasons or bad.
    var announcesBody: Bool {
        switch method {
        case .get, .head, .options, .delete: contentLength != nil && contentLength != "0"
        case .post, .put, .patch, nil: contentLength != "0"
        }
    }
}

/// How to read a request that may come in.
struct Passage: Equatable {
    var bodyLength = 0
    /// The connection ends with this answer.
    var closes = false
    var expectsContinue = false
}

/// The strict door in front of a lenient parser (RFC 9112 §6.3, §11.2). Two readers of one message must never see two
/// different bodies: what is doubtful is refused, and the connection closed.
struct RequestGate: Sendable {
    let names: NameRules
    let subprotocols: [String]

    func check(_ facts: RequestFacts) -> Result<Passage, APIError> {
        guard let method = facts.method else { return .failure(.methodUnknown) }
        if let refusal = commonRefusal(facts) { return .failure(refusal) }
        var passage = Passage()
        if let text = facts.contentLength {
            guard let length = Self.contentLength(text) else { return .failure(.badContentLength) }
            passage.bodyLength = length
        } else if method == .post || method == .put || method == .patch {
            return .failure(.lengthRequired)
        }
        let tokens = Self.tokens(facts.connection)
        passage.closes = facts.version == "HTTP/1.1" ? tokens.contains("close") : !tokens.contains("keep-alive")
        if let expect = facts.expect {
            guard expect.lowercased() == "100-continue" else { return .failure(.expectationFailed) }
            passage.expectsContinue = passage.bodyLength > 0
        }
        return .success(passage)
    }

    /// RFC 6455 §4.2.1, and no other upgrade: `h2c` would lead into code that this server does not want to reach.
    func checkUpgrade(_ facts: RequestFacts) -> APIError? {
        guard facts.upgrade?.lowercased() == "websocket" else {
            return .invalid("unsupported_upgrade", "The only upgrade is to websocket.", param: "upgrade")
        }
        if let refusal = commonRefusal(facts) { return refusal }
        guard facts.method == .get, facts.version == "HTTP/1.1" else {
            return .invalid("bad_upgrade", "An upgrade is a GET of HTTP/1.1.")
        }
        guard facts.contentLength == nil || facts.contentLength == "0" else {
            return .invalid("bad_upgrade", "An upgrade has no body.")
        }
        guard Self.tokens(facts.connection).contains("upgrade") else {
            return .invalid("bad_upgrade", "Connection must name upgrade.", param: "connection")
        }
        guard facts.webSocketVersion == "13" else { return .webSocketVersion }
        guard let key = facts.webSocketKey, key.utf8.count == 24, key.hasSuffix("==") else {
            return .invalid("bad_upgrade", "Sec-WebSocket-Key must be 16 bytes in base64.", param: "sec-websocket-key")
        }
        if let offered = facts.offeredSubprotocols {
            let names = offered.split(separator: ",").map { $0.drop { $0 == " " }.prefix { $0 != " " } }
            guard names.contains(where: { name in subprotocols.contains { $0 == name } }) else {
                return .invalid("unsupported_subprotocol", "None of the offered subprotocols is spoken here.")
            }
        }
        return nil
    }

    private func commonRefusal(_ facts: RequestFacts) -> APIError? {
        // The library ends the target at a line break, even an encoded one, and takes what follows for the version.
        guard facts.version.hasPrefix("HTTP/") else {
            return .invalid("bad_target", "The target of the request holds a line break.")
        }
        guard facts.version == "HTTP/1.1" || facts.version == "HTTP/1.0" else {
            return APIError(.invalidRequest, status: 505, code: "version_not_supported", message: "Speak HTTP/1.1.")
        }
        if facts.hasTransferEncoding || facts.hasSpacedFraming {
            return .invalid("transfer_encoding", "Send the body with a Content-Length.", param: "transfer-encoding")
        }
        guard let host = facts.host, !host.isEmpty else {
            return .invalid("missing_host", "A request names its Host.", param: "host")
        }
        if !facts.isLocal, !names.allows(host: host) {
            // RFC 9110 §15.5.20
            return APIError(
                .invalidRequest,
                status: 421,
                code: "host_not_allowed",
                message: "This server does not answer to that name.",
                param: "host"
            )
        }
        if let origin = facts.origin, !names.allows(origin: origin, host: host) {
            return APIError(
                .permission,
                status: 403,
                code: "origin_not_allowed",
                message: "Pages of that origin may not call this server.",
                param: "origin"
            )
        }
        return nil
    }

    /// One to ten digits and nothing else: no sign, no list, no space.
    static func contentLength(_ text: String) -> Int? {
        let bytes = text.utf8
        guard (1...10).contains(bytes.count), bytes.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    static func tokens(_ list: String?) -> [String] {
        guard let list else { return [] }
        return list.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }
}

extension APIError {
    fileprivate static let methodUnknown = APIError(
        .invalidRequest,
        status: 501,
        code: "method_not_implemented",
        message: "This server does not know that method."
    )
    fileprivate static let badContentLength = APIError.invalid(
        "bad_content_length",
        "Content-Length must be one number.",
        param: "content-length"
    )
    fileprivate static let lengthRequired = APIError(
        .invalidRequest,
        status: 411,
        code: "length_required",
        message: "Send a Content-Length.",
        param: "content-length"
    )
    fileprivate static let expectationFailed = APIError(
        .invalidRequest,
        status: 417,
        code: "expectation_failed",
        message: "The only expectation is 100-continue.",
        param: "expect"
    )
    fileprivate static let webSocketVersion = APIError(
        .invalidRequest,
        status: 426,
        code: "websocket_version",
        message: "The version of the WebSocket protocol is 13.",
        param: "sec-websocket-version"
    )
}
