import HTTPModel
import Synchronization
import Testing

@testable import Compression

@Suite("Compressed answers")
struct DeflaterTests {
    private static let text = (0..<20_000).map { "line \($0 &* 2_654_435_761)\n" }.joined()

    private func get(_ accepted: String?) -> HTTPRequest {
        var request = HTTPRequest(method: .get, path: "/")
        request.headers["accept-encoding"] = accepted
        return request
    }

    @Test("a body in pieces is the body", arguments: [1, 1000, 65_536, 10_000_000])
    func pieces(length: Int) throws {
        let body = Array(DeflaterTests.text.utf8)
        let deflater = try #require(Deflater(.gzip, level: 4))
        var output: [UInt8] = []
        for start in stride(from: 0, to: min(body.count, length * 50), by: length) {
            output += deflater.deflate(Array(body[start..<min(body.count, start + length)]), isLast: false)
        }
        output += deflater.deflate([], isLast: true)
        let inflated = try Inflater(.gzip).inflate(output, limit: body.count)
        #expect(inflated == Array(body.prefix(inflated.count)))
        #expect(inflated.count == min(body.count, length * 50))
    }

    @Test(
        "gzip is used only if the client accepts it",
        arguments: [
            (nil, false), ("", false), ("identity", false), ("br", false), ("gzip", true), ("deflate, GZIP", true),
            ("gzip;q=0", false), ("gzip; q=0.0", false), ("gzip;q=0.5", true), ("*", true), ("gzip;q=0, *", false),
            ("*;q=0", false), ("x-gzip", true),
        ] as [(String?, Bool)]
    )
    func accepted(header: String?, isCompressed: Bool) {
        let answer = HTTPResponse.text(DeflaterTests.text).gzipped(for: get(header))
        #expect(answer.headers.contains { $0.name == "content-encoding" } == isCompressed)
        #expect(answer.headers.contains { $0 == ("vary", "Accept-Encoding") })
        #expect((answer.body.count < DeflaterTests.text.utf8.count / 2) == isCompressed)
    }

    @Test("small bodies, pictures, compressed bodies and streams of events stay as they are")
    func unchanged() {
        let small = HTTPResponse.text(String(repeating: "a", count: 1024))
        let picture = HTTPResponse.text(DeflaterTests.text, type: "image/png")
        var compressed = HTTPResponse.text(DeflaterTests.text)
        compressed.headers.append(("content-encoding", "gzip"))
        var events = HTTPResponse.text("", type: "text/event-stream")
        events.stream = { _ in }
        for response in [small, picture, compressed, events] {
            let answer = response.gzipped(for: get("gzip"))
            #expect(answer.body == response.body)
            #expect(answer.headers.count == response.headers.count)
        }
    }

    @Test("a streamed body is its pieces after the body's beginning")
    func streamed() async throws {
        var response = HTTPResponse.text("beginning\n")
        response.stream = { writer in
            for number in 0..<1000 { try await writer.write(Array("piece \(number)\n".utf8)) }
        }
        let answer = response.gzipped(for: get("gzip"))
        let kept = KeptBody()
        try await answer.stream?(kept)
        let text = String(decoding: try Inflater(.gzip).inflate(kept.bytes, limit: 1 << 20), as: UTF8.self)
        #expect(answer.body.isEmpty)
        #expect(text == "beginning\n" + (0..<1000).map { "piece \($0)\n" }.joined())
    }

    @Test("a streamed body that fails has no end")
    func failed() async throws {
        var response = HTTPResponse.text("beginning\n")
        response.stream = { _ in throw StreamEnded() }
        let kept = KeptBody()
        let stream = try #require(response.gzipped(for: get("gzip")).stream)
        await #expect(throws: StreamEnded.self) { try await stream(kept) }
        #expect(throws: APIError.self) { try Inflater(.gzip).inflate(kept.bytes, limit: 1 << 20) }
    }
}

private final class KeptBody: BodyWriter {
    private let pieces = Mutex<[UInt8]>([])
    var bytes: [UInt8] { pieces.withLock { $0 } }

    func write(_ bytes: [UInt8]) async throws(StreamEnded) {
        pieces.withLock { $0 += bytes }
    }
}
