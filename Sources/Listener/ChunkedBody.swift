/// The chunked transfer coding (RFC 9112 section 7.1), without trailers.
enum ChunkedBody {
    static let end: [UInt8] = Array("0\r\n\r\n".utf8)

    /// One chunk. `bytes` must not be empty: a chunk of length 0 ends the body.
    static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(bytes.count + 20)
        chunk += String(bytes.count, radix: 16).utf8
        chunk += [.carriageReturn, .lineFeed]
        chunk += bytes
        chunk += [.carriageReturn, .lineFeed]
        return chunk
    }
}
