internal import HTTPModel

/// How the end of a request's body is found (RFC 9112 section 6).
enum BodyFraming: Equatable, Sendable {
    /// `Content-Length`; 0 if there is no body.
    case length(Int)
    /// The chunked transfer coding.
    case chunked

    var isEmpty: Bool { self == .length(0) }
    /// nil if the request does not announce it.
    var announcedLength: Int? {
        if case .length(let length) = self { length } else { nil }
    }
}

/// Where a request's body ends, and whether the connection continues after it (RFC 9112 section 6.3).
struct RequestFraming: Equatable, Sendable {
    var body = BodyFraming.length(0)
    /// The connection ends with this answer.
    var closes = false
    var expectsContinue = false
}

/// Decides whether a request with a well-formed head is accepted. After a refusal the connection is closed.
struct RequestGate: Sendable {
    let names: NameRules
    /// WebSocket subprotocols that the server speaks.
    let subprotocols: [String]
    /// Whether the listeners use TLS.
    var usesTLS = false
    /// Whether a request that a proxy has passed on is refused.
    var refusesForwarded = false

    /// - Parameters:
    ///   - isLocal: the request came by a unix socket. No browser can do that, so `Host` says nothing.
    ///   - isFollowed: more bytes have arrived after the head.
    ///   - address: a page of the address that the client used is no foreign one.
    func check(
        _ head: RequestHead,
        isLocal: Bool,
        isFollowed: Bool,
        address: ForwardedAddress
    ) -> Result<RequestFraming, APIError> {
        if let refusal = commonRefusal(head, isLocal: isLocal, address: address) { return .failure(refusal) }
        var framing = RequestFraming()
        if let coding = head[.transferEncoding] {
            if let refusal = Self.refusal(ofCoding: coding, head) { return .failure(refusal) }
            framing.body = .chunked
        } else if let text = head[.contentLength] {
            guard let length = Self.contentLength(text) else { return .failure(.badContentLength) }
            framing.body = .length(length)
        } else if head.method.usuallyHasBody, isFollowed {
            return .failure(.lengthRequired)
        }
        let tokens = Self.tokens(head[.connection])
        framing.closes = head.version == .http11 ? tokens.contains("close") : !tokens.contains("keep-alive")
        // RFC 9112 says that the body is empty. A client that forgot the length sends one anyway, and it must not be
        // read as a request.
        if head.method.usuallyHasBody, head[.contentLength] == nil, framing.body.isEmpty { framing.closes = true }
        // A proxy may forward blindly once it has seen the offer. It must not carry another request past its own
        // checks.
        if head[.upgrade] != nil { framing.closes = true }
        if let expect = head[.expect] {
            guard expect.lowercased() == "100-continue" else { return .failure(.expectationFailed) }
            framing.expectsContinue = !framing.body.isEmpty && head.version == .http11
        }
        return .success(framing)
    }

    /// Whether the request asks for a WebSocket and nothing else. Any other offer is ignored, as RFC 9110 section 7.8
    /// allows, and the request is answered in HTTP/1.1.
    static func asksForWebSocket(_ head: RequestHead) -> Bool { head[.upgrade]?.lowercased() == "websocket" }

    /// Checks a request that asks for a WebSocket (RFC 6455 section 4.2.1).
    func checkUpgrade(_ head: RequestHead, isLocal: Bool, address: ForwardedAddress) -> APIError? {
        if let refusal = commonRefusal(head, isLocal: isLocal, address: address) { return refusal }
        guard head.method == .get, head.version == .http11 else {
            return .invalid("bad_upgrade", "An upgrade is a GET of HTTP/1.1.")
        }
        guard head[.contentLength] == nil || head[.contentLength] == "0", head[.transferEncoding] == nil else {
            return .invalid("bad_upgrade", "An upgrade has no body.")
        }
        guard Self.tokens(head[.connection]).contains("upgrade") else {
            return .invalid("bad_upgrade", "Connection must name upgrade.", param: "connection")
        }
        guard head[.webSocketVersion] == "13" else { return .webSocketVersion }
        guard let key = head[.webSocketKey], key.utf8.count == 24, key.hasSuffix("=="),
            key.utf8.dropLast(2).allSatisfy(Self.isBase64Byte)
        else {
            return .invalid("bad_upgrade", "Sec-WebSocket-Key must be 16 bytes in base64.", param: "sec-websocket-key")
        }
        if head[.webSocketProtocol] != nil, subprotocol(for: head) == nil {
            return .invalid("unsupported_subprotocol", "None of the offered subprotocols is spoken here.")
        }
        return nil
    }

    /// The first of the offered subprotocols that the server speaks.
    func subprotocol(for head: RequestHead) -> String? {
        guard let offered = head[.webSocketProtocol] else { return nil }
        let names = offered.split { $0 == "," || $0 == " " || $0 == "\t" }
        return names.first { name in subprotocols.contains { $0 == name } }.map(String.init)
    }

    private func commonRefusal(_ head: RequestHead, isLocal: Bool, address: ForwardedAddress) -> APIError? {
        // HTTP/1.0, as health checks of proxies speak it, has no Host. Browsers do not speak it, so the rules about
        // names, which protect browsers, do not apply.
        let host = head[.host] ?? ""
        guard !host.isEmpty || head.version == .http10 && head[.host] == nil else {
            return .invalid("missing_host", "A request names its Host.", param: "host")
        }
        if !isLocal, !host.isEmpty, !names.allows(host: host) { return .hostNotAllowed }
        if refusesForwarded, Self.isForwarded(head) { return .forwarded }
        let isSecure = isSecure(address, isLocal: isLocal)
        if let origin = head[.origin], !names.allows(origin: origin, host: address.host ?? host, isSecure: isSecure) {
            return .originNotAllowed
        }
        return nil
    }

    private static func isForwarded(_ head: RequestHead) -> Bool {
        let marks: [HeaderTable.Known] = [
            .forwarded, .via, .forwardedFor, .forwardedHost, .forwardedScheme, .forwardedPrefix,
        ]
        return marks.contains { head[$0] != nil }
    }

    /// The origin of the page that sent the request, if the page may read the answer.
    func readableOrigin(_ head: RequestHead, isLocal: Bool, address: ForwardedAddress) -> String? {
        guard let origin = head[.origin] else { return nil }
        let host = address.host ?? head[.host] ?? ""
        let isSecure = isSecure(address, isLocal: isLocal)
        return names.lists(origin: origin, host: host, isSecure: isSecure) ? origin : nil
    }

    /// Whether the client uses TLS, or `nil` if a proxy that nobody has declared may be between.
    private func isSecure(_ address: ForwardedAddress, isLocal: Bool) -> Bool? {
        address.isSecure ?? (usesTLS && !isLocal ? true : nil)
    }

    /// RFC 9112 section 6.1. A second length, or another coding, would let two readers disagree on the end of the body.
    private static func refusal(ofCoding coding: String, _ head: RequestHead) -> APIError? {
        guard head.version == .http11 else { return .transferEncoding("HTTP/1.0 has no Transfer-Encoding.") }
        guard head[.contentLength] == nil else {
            return .transferEncoding("A request has a Content-Length or a Transfer-Encoding, not both.")
        }
        guard coding.lowercased() == "chunked" else {
            return .transferEncoding("The only transfer coding is chunked, once.")
        }
        return nil
    }

    /// The value must be one to ten digits, without a sign, a list or a space.
    static func contentLength(_ text: String) -> Int? {
        let bytes = text.utf8
        guard (1...10).contains(bytes.count), bytes.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    static func tokens(_ list: String?) -> [String] {
        guard let list else { return [] }
        return list.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }

    private static func isBase64Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 43, 47: true
        default: false
        }
    }
}

extension HTTPMethod {
    fileprivate var usuallyHasBody: Bool { self == .post || self == .put || self == .patch }
}

extension APIError {
    fileprivate static let lengthRequired = APIError(
        .invalidRequest,
        status: 411,
        code: "length_required",
        message: "Send a Content-Length, or the body in chunks.",
        param: "content-length"
    )
    fileprivate static func transferEncoding(_ message: String) -> APIError {
        .invalid("transfer_encoding", message, param: "transfer-encoding")
    }
    fileprivate static let badContentLength = APIError.invalid(
        "bad_content_length",
        "Content-Length must be one number.",
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
    /// RFC 9110 section 15.5.20.
    fileprivate static let hostNotAllowed = APIError(
        .invalidRequest,
        status: 421,
        code: "host_not_allowed",
        message: "This server does not answer to that name. MONITOR_ALLOWED_HOSTS has the names of the server.",
        param: "host"
    )
    fileprivate static let forwarded = APIError(
        .permission,
        status: 403,
        code: "forwarded_request",
        message: "A proxy has passed this request on. With MONITOR_COMPAT=seed the server takes none of those."
    )
    fileprivate static let originNotAllowed = APIError(
        .permission,
        status: 403,
        code: "origin_not_allowed",
        message: "Pages of that origin may not call this server. MONITOR_ALLOWED_ORIGINS has those that may.",
        param: "origin"
    )
}
