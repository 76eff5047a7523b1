internal import CLibwebsockets
internal import HTTPModel

/// Reads the request that libwebsockets has just parsed. Valid inside the callback that hands it over.
@safe struct HeaderReader {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    /// The library frees its header table before it asks about an unknown upgrade (CVE-2025-11677): then nothing of the
    /// request may be looked at.
    var hasUpgrade: Bool { unsafe lws_hdr_total_length(raw, WSI_TOKEN_UPGRADE) > 0 }

    func facts(isLocal: Bool) -> RequestFacts {
        var facts = RequestFacts()
        facts.method = method
        facts.version = known(WSI_TOKEN_HTTP) ?? ""
        facts.host = known(WSI_TOKEN_HOST)
        facts.origin = known(WSI_TOKEN_ORIGIN)
        facts.contentLength = known(WSI_TOKEN_HTTP_CONTENT_LENGTH)
        facts.connection = known(WSI_TOKEN_CONNECTION)
        facts.expect = known(WSI_TOKEN_HTTP_EXPECT)
        facts.upgrade = known(WSI_TOKEN_UPGRADE)
        facts.webSocketVersion = known(WSI_TOKEN_VERSION)
        facts.webSocketKey = known(WSI_TOKEN_KEY)
        facts.offeredSubprotocols = known(WSI_TOKEN_PROTOCOL)
        facts.hasTransferEncoding = known(WSI_TOKEN_HTTP_TRANSFER_ENCODING) != nil || hasCustom("transfer-encoding:")
        facts.hasSpacedFraming =
            hasCustom("transfer-encoding :") || hasCustom("content-length :") || hasCustom("transfer-encoding\t:")
            || hasCustom("content-length\t:")
        facts.isLocal = isLocal
        return facts
    }

    /// Without the body. A method that this server does not speak counts as GET: the gate has refused it before.
    func request(passing passed: [PassedHeader], requestID: String, peer: String) -> HTTPRequest {
        var headers = HTTPHeaders()
        headers.reserveCapacity(6)
        for header in passed {
            if let value = self.header(header) { headers.append(header.name, value) }
        }
        return HTTPRequest(
            method: method ?? .get,
            path: path,
            query: query,
            headers: headers,
            requestID: requestID,
            peerAddress: peer
        )
    }

    func header(_ header: PassedHeader) -> String? {
        header.token.map { known($0) } ?? custom(header.line)
    }

    /// A header that requests carry on, found once instead of with each request.
    struct PassedHeader {
        /// In lower case.
        let name: String
        fileprivate let token: lws_token_indexes?
        /// The name with its colon, as the library looks for it.
        fileprivate let line: [CChar]

        init(_ name: String) {
            self.name = name
            token = HeaderReader.tokens[name]
            line = (name + ":").utf8.map { CChar(bitPattern: $0) }
        }
    }

    /// nil: one that this server does not speak, or no target.
    private var method: HTTPMethod? {
        var first: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        let number = unsafe lws_http_get_uri_and_method(raw, &first, &length)
        guard unsafe first != nil, length > 0 else { return nil }
        switch number {
        case 0: return .get
        case 1: return .post
        case 2: return .options
        case 3: return .put
        case 4: return .patch
        case 5: return .delete
        case 7: return .head
        default: return nil
        }
    }

    private var path: String {
        var first: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        guard unsafe lws_http_get_uri_and_method(raw, &first, &length) >= 0, let first = unsafe first, length > 0 else {
            return "/"
        }
        return unsafe PercentEncoding.path(UnsafeRawBufferPointer(start: first, count: Int(length)))
    }

    private var query: String {
        let total = unsafe lws_hdr_total_length(raw, WSI_TOKEN_HTTP_URI_ARGS)
        guard total > 0 else { return "" }
        var items: [String] = []
        var index: Int32 = 0
        while let item = unsafe Self.copy(
            total,
            { unsafe lws_hdr_copy_fragment(raw, $0, $1, WSI_TOKEN_HTTP_URI_ARGS, index) }
        ) {
            items.append(PercentEncoding.queryItem(item))
            index += 1
        }
        return items.joined(separator: "&")
    }

    private func known(_ token: lws_token_indexes) -> String? {
        let length = unsafe lws_hdr_total_length(raw, token)
        guard length > 0 else { return nil }
        var copied: Int32 = -1
        // Room as in `copy`.
        let text = unsafe String(unsafeUninitializedCapacity: Int(length) + 2) { buffer in
            copied = unsafe buffer.withMemoryRebound(to: CChar.self) {
                unsafe lws_hdr_copy(raw, $0.baseAddress, length + 2, token)
            }
            return max(0, min(Int(copied), Int(length)))
        }
        return copied >= 0 ? text : nil
    }

    private func hasCustom(_ name: StaticString) -> Bool {
        let line = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        return unsafe lws_hdr_custom_length(raw, line, Int32(name.utf8CodeUnitCount)) >= 0
    }

    private func custom(_ line: [CChar]) -> String? {
        let length = unsafe lws_hdr_custom_length(raw, line, Int32(line.count))
        guard length > 0 else { return nil }
        return unsafe Self.copy(length) { unsafe lws_hdr_custom_copy(raw, $0, $1, line, Int32(line.count)) }
            .map { bytes in
                let end = bytes.lastIndex { $0 != 32 && $0 != 9 } ?? -1
                return String(decoding: bytes[0..<(end + 1)], as: UTF8.self)
            }
    }

    /// The copy calls want room for a NUL and give the length back, or -1.
    private static func copy(
        _ length: Int32,
        _ copy: (UnsafeMutablePointer<CChar>, Int32) -> Int32
    ) -> [UInt8]? {
        guard length > 0 else { return nil }
        var copied: Int32 = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(length) + 2) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            copied = unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                unsafe copy($0, length + 2)
            }
            count = max(0, min(Int(copied), Int(length)))
        }
        return copied >= 0 ? bytes : nil
    }

    /// What libwebsockets keeps by number; every other header it keeps by name.
    fileprivate static let tokens: [String: lws_token_indexes] = [
        "authorization": WSI_TOKEN_HTTP_AUTHORIZATION,
        "content-type": WSI_TOKEN_HTTP_CONTENT_TYPE,
        "content-encoding": WSI_TOKEN_HTTP_CONTENT_ENCODING,
        "content-length": WSI_TOKEN_HTTP_CONTENT_LENGTH,
        "accept": WSI_TOKEN_HTTP_ACCEPT,
        "accept-encoding": WSI_TOKEN_HTTP_ACCEPT_ENCODING,
        "accept-language": WSI_TOKEN_HTTP_ACCEPT_LANGUAGE,
        "cache-control": WSI_TOKEN_HTTP_CACHE_CONTROL,
        "cookie": WSI_TOKEN_HTTP_COOKIE,
        "origin": WSI_TOKEN_ORIGIN,
        "host": WSI_TOKEN_HOST,
        "user-agent": WSI_TOKEN_HTTP_USER_AGENT,
        "if-match": WSI_TOKEN_HTTP_IF_MATCH,
        "if-none-match": WSI_TOKEN_HTTP_IF_NONE_MATCH,
        "if-modified-since": WSI_TOKEN_HTTP_IF_MODIFIED_SINCE,
        "range": WSI_TOKEN_HTTP_RANGE,
        "referer": WSI_TOKEN_HTTP_REFERER,
        "sec-websocket-protocol": WSI_TOKEN_PROTOCOL,
        "x-forwarded-for": WSI_TOKEN_X_FORWARDED_FOR,
        "x-real-ip": WSI_TOKEN_HTTP_X_REAL_IP,
        "access-control-request-headers": WSI_TOKEN_HTTP_AC_REQUEST_HEADERS,
    ]
}
