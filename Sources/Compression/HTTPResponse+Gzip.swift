package import HTTPModel
internal import Synchronization

extension HTTPResponse {
    /// Smaller bodies fit into one packet either way.
    private static let minimumBytes = 1024
    /// zlib's scale from 1 to 9. Level 6 takes twice the time of level 4 and saves 3 % of a list of sessions.
    private static let level: Int32 = 4

    /// Compresses the body if that may make it smaller and the client accepts gzip.
    package func gzipped(for request: HTTPRequest) -> HTTPResponse {
        guard isCompressible else { return self }
        var response = self
        response.headers.append(("vary", "Accept-Encoding"))
        guard request.acceptsGzip else { return response }
        if let stream {
            response.body = []
            response.stream = { [body] writer in
                guard let compressing = GzipWriter(writer, level: HTTPResponse.level) else { throw StreamEnded() }
                try await compressing.write(body)
                try await stream(compressing)
                try await compressing.finish()
            }
        } else {
            guard let deflater = Deflater(.gzip, level: HTTPResponse.level) else { return response }
            response.body = deflater.deflate(body, isLast: true)
        }
        response.headers.append(("content-encoding", "gzip"))
        return response
    }

    /// A stream of events is not compressed, because each event must arrive at once.
    private var isCompressible: Bool {
        guard stream != nil || body.count > HTTPResponse.minimumBytes else { return false }
        guard !headers.contains(where: { $0.name == "content-encoding" }) else { return false }
        guard let type = headers.first(where: { $0.name == "content-type" })?.value else { return false }
        if type.hasPrefix("text/") { return !type.hasPrefix("text/event-stream") }
        return type.hasPrefix("application/json") || type.hasPrefix("application/x-ndjson")
    }
}

extension HTTPRequest {
    /// `Accept-Encoding` (RFC 9110 section 12.5.3) lists gzip or `*`, and its weight is not zero.
    package var acceptsGzip: Bool {
        guard let header = headers["accept-encoding"]?.lowercased() else { return false }
        var others = false
        for entry in header.split(separator: ",") {
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let isAccepted = !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            switch parts.first {
            case "gzip", "x-gzip": return isAccepted
            case "*": others = isAccepted
            default: continue
            }
        }
        return others
    }
}

/// Compresses the pieces of a streamed body.
private final class GzipWriter: BodyWriter {
    private let writer: any BodyWriter
    private let deflater: Mutex<Deflater>

    /// Returns `nil` if zlib gets no memory.
    init?(_ writer: any BodyWriter, level: Int32) {
        guard let deflater = Deflater(.gzip, level: level) else { return nil }
        self.writer = writer
        self.deflater = Mutex(deflater)
    }

    func write(_ bytes: [UInt8]) async throws(StreamEnded) {
        try await writer.write(deflater.withLock { $0.deflate(bytes, isLast: false) })
    }

    func finish() async throws(StreamEnded) {
        try await writer.write(deflater.withLock { $0.deflate([], isLast: true) })
    }
}
