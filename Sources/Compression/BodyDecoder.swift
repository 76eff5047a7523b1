package import HTTPModel

/// Inflates request bodies within a bound. Reuses its buffers: create one per thread.
package final class BodyDecoder {
    private let gzip = Inflater(.gzip)
    private let zlib = Inflater(.zlib)
    private let maxBytes: Int

    /// - Parameter maxBytes: the maximum size of a body, both as sent and after inflating.
    package init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    package func decode(_ body: [UInt8], contentEncoding: String?) throws(APIError) -> [UInt8] {
        switch try BodyEncoding(contentEncoding: contentEncoding) {
        case .identity:
            guard body.count <= maxBytes else { throw .bodyTooLarge(limit: maxBytes) }
            return body
        case .gzip: return try gzip.inflate(body, limit: maxBytes)
        case .deflate: return try zlib.inflate(body, limit: maxBytes)
        }
    }
}
