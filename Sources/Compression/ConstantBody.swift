package import HTTPModel

/// A body that does not change, compressed once.
package struct ConstantBody: Sendable {
    private let plain: [UInt8]
    /// `nil` if compressing does not make it smaller.
    private let compressed: [UInt8]?

    package init(_ plain: [UInt8], compressed: [UInt8]?) {
        self.plain = plain
        self.compressed = compressed
    }

    /// Compresses the body, as small as zlib can.
    package init(_ plain: [UInt8]) {
        let compressed = Deflater(.gzip, level: 9)?.deflate(plain, isLast: true)
        self.init(plain, compressed: compressed.flatMap { $0.count < plain.count ? $0 : nil })
    }

    package func response(_ headers: [(name: String, value: String)], for request: HTTPRequest) -> HTTPResponse {
        let headers = headers + [("vary", "Accept-Encoding")]
        if let compressed, request.acceptsGzip {
            return HTTPResponse(status: 200, headers: headers + [("content-encoding", "gzip")], body: compressed)
        }
        return HTTPResponse(status: 200, headers: headers, body: plain)
    }
}
