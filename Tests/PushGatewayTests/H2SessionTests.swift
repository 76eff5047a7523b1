import Testing

@testable import PushGateway

/// Client and bytes alone: what no well-behaved server sends must neither trap nor go unnoticed.
@Suite("H2Session")
struct H2SessionTests {
    private let headers = [
        H2Header(name: ":method", value: "POST"), H2Header(name: ":scheme", value: "https"),
        H2Header(name: ":path", value: "/"), H2Header(name: ":authority", value: "localhost"),
    ]

    private func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
    }

    @Test("begins with the preface and SETTINGS without push")
    func preface() throws {
        let bytes = try H2Session().output(limit: 1024)
        #expect(bytes == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, [0, 2, 0, 0, 0, 0]))
    }

    @Test("an answer byte by byte")
    func slow() throws {
        let session = try H2Session()
        let stream = try #require(session.submit(headers, body: [1, 2, 3]))
        _ = try session.output(limit: 16384)
        // :status 410 as a literal with an indexed name, then the body.
        let bytes =
            frame(4) + frame(1, flags: 4, stream: 1, [0x08, 0x03] + Array("410".utf8))
            + frame(0, flags: 1, stream: 1, Array("{}".utf8))
        for byte in bytes { try session.receive([byte]) }
        var response = H2Response()
        response.status = 410
        response.body = Array("{}".utf8)
        #expect(
            session.takeEvents() == [
                .settings(maxConcurrentStreams: .max),
                .closed(stream: stream, code: 0, response: response, wasSent: true),
            ]
        )
    }

    @Test("a body beyond the bound is cut")
    func largeBody() throws {
        let session = try H2Session()
        _ = session.submit(headers, body: [1])
        _ = try session.output(limit: 16384)
        try session.receive(frame(4) + frame(1, flags: 4, stream: 1, [0x88]))
        for _ in 0..<3 { try session.receive(frame(0, stream: 1, [UInt8](repeating: 0x78, count: 3000))) }
        try session.receive(frame(0, flags: 1, stream: 1))
        guard case .closed(_, _, let response, _)? = session.takeEvents().last else {
            Issue.record("not closed")
            return
        }
        #expect(response.body.count == H2Response.bodyLimit)
    }

    @Test("a request that never left was not sent")
    func unsent() throws {
        let session = try H2Session()
        _ = try session.output(limit: 1024)
        let first = try #require(session.submit(headers, body: [1]))
        _ = try session.output(limit: 1024)
        // The peer is taken to allow one stream, so the second stays here.
        let second = try #require(session.submit(headers, body: [1]))
        _ = try session.output(limit: 1024)
        session.abandonStreams()
        #expect(
            session.takeEvents() == [
                .closed(stream: first, code: 8, response: H2Response(), wasSent: true),
                .closed(stream: second, code: 8, response: H2Response(), wasSent: false),
            ]
        )
    }

    @Test("a GOAWAY turns away what is above it, and its reason is told")
    func goAway() throws {
        let session = try H2Session()
        try session.receive(frame(4))
        let streams = (0..<3).compactMap { _ in session.submit(headers, body: [1]) }
        _ = try session.output(limit: 16384)
        try session.receive(frame(7, [0, 0, 0, 3, 0, 0, 0, 0] + Array("why".utf8)))
        #expect(
            session.takeEvents() == [
                .settings(maxConcurrentStreams: .max),
                .goAway(lastStreamID: 3, code: 0, debugText: "why"),
                .closed(stream: streams[2], code: 7, response: H2Response(), wasSent: true),
            ]
        )
        #expect(!session.takesRequests)
        #expect(session.submit(headers, body: [1]) == nil)
    }

    @Test("random and damaged bytes end in an error or in events, never in a trap", arguments: 1...30)
    func fuzz(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let good =
            frame(4, [0, 3, 0, 0, 0, 9]) + frame(1, flags: 4, stream: 1, [0x88]) + frame(0, stream: 1, [1, 2, 3])
            + frame(6, [1, 2, 3, 4, 5, 6, 7, 8]) + frame(3, stream: 1, [0, 0, 0, 7])
            + frame(7, [0, 0, 0, 1, 0, 0, 0, 0])
        for _ in 0..<200 {
            let session = try H2Session()
            _ = session.submit(headers, body: [1, 2, 3])
            _ = try session.output(limit: 16384)
            var bytes = good
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(ConnectionError) {
                try session.receive(bytes)
                _ = try session.output(limit: 16384)
            } catch {
                #expect(error.code == .protocolViolation)
            }
            session.abandonStreams()
            let closed = session.takeEvents().count { if case .closed = $0 { true } else { false } }
            #expect(closed == 1)
        }
    }
}
