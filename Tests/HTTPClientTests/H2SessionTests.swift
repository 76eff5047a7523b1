import Testing

@testable import HTTPClient

/// Client and bytes alone: what no well-behaved server sends must neither trap nor go unnoticed.
@Suite("H2Session")
struct H2SessionTests {
    private var headers: H2HeaderBlock {
        var headers = H2HeaderBlock()
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        headers.append(":path", "/")
        headers.append(":authority", "localhost")
        return headers
    }

    private func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
    }

    @Test("begins with the preface and SETTINGS without push")
    func preface() throws {
        let bytes = try H2Session(keptFields: []).output(limit: 1024)
        #expect(bytes == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, [0, 2, 0, 0, 0, 0]))
    }

    @Test("an answer byte by byte")
    func slow() throws {
        let session = try H2Session(keptFields: ["kept"])
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
                .closed(stream, code: 0, response: response, wasSent: true),
            ]
        )
    }

    /// A literal field with a literal name, out of the table (RFC 7541 section 6.2.2).
    private func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    @Test("only the fields that were asked for are kept, and of the final answer alone")
    func fields() throws {
        let session = try H2Session(keptFields: ["kept", "kept-too"])
        _ = session.submit(headers, body: [1])
        _ = try session.output(limit: 16384)
        let interim = [0x08, 0x03] + Array("103".utf8) + field("kept", "early")
        let final = [0x88] + field("kept", "a") + field("date", "b") + field("kept-too", "c") + field("kep", "d")
        try session.receive(frame(4) + frame(1, flags: 4, stream: 1, interim) + frame(1, flags: 5, stream: 1, final))
        guard case .closed(_, 0, let response, _)? = session.takeEvents().last else {
            Issue.record("not closed")
            return
        }
        #expect(response.status == 200)
        #expect(response.fields.map(\.name) == ["kept", "kept-too"])
        #expect(response.fields.map(\.value) == ["a", "c"])
    }

    @Test("a slot is used again, and a late frame for its last stream is not taken for the new one's")
    func slots() throws {
        let session = try H2Session(keptFields: [])
        let first = try #require(session.submit(headers, body: [1]))
        _ = try session.output(limit: 16384)
        session.cancel(first)
        _ = try session.output(limit: 16384)
        #expect(session.takeEvents() == [.closed(first, code: 8, response: H2Response(), wasSent: true)])
        let second = try #require(session.submit(headers, body: [1]))
        #expect(second.slot == first.slot)
        #expect(second.id > first.id)
        _ = try session.output(limit: 16384)
        try session.receive(frame(4) + frame(1, flags: 4, stream: 1, [0x88]))
        try session.receive(frame(0, flags: 1, stream: 1, Array("late".utf8)))
        #expect(session.response(on: second) == H2Response())
    }

    @Test("a body longer than a frame and than the peer's window goes out in parts, whole")
    func longBody() throws {
        let session = try H2Session(keptFields: [])
        try session.receive(frame(4))
        let body = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        _ = session.submit(headers, body: body)
        var sent: [UInt8] = []
        func collect() throws {
            var bytes = try session.output(limit: 1 << 20)[...]
            if sent.isEmpty { bytes = bytes.dropFirst(24) }
            while bytes.count >= 9 {
                let head = Array(bytes.prefix(9))
                let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                if head[3] == 0 { sent += bytes.dropFirst(9).prefix(length) }
                bytes = bytes.dropFirst(9 + length)
            }
        }
        try collect()
        #expect(sent == Array(body.prefix(65_535)))
        for stream: UInt8 in 0...1 { try session.receive(frame(8, stream: stream, [0, 0, 0xFF, 0xFF])) }
        try collect()
        #expect(sent == body)
    }

    @Test("a body beyond the bound is cut")
    func largeBody() throws {
        let session = try H2Session(keptFields: ["kept"])
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
        let session = try H2Session(keptFields: ["kept"])
        _ = try session.output(limit: 1024)
        let first = try #require(session.submit(headers, body: [1]))
        _ = try session.output(limit: 1024)
        // The peer is taken to allow one stream, so the second stays here.
        let second = try #require(session.submit(headers, body: [1]))
        _ = try session.output(limit: 1024)
        session.abandonStreams()
        #expect(
            session.takeEvents() == [
                .closed(first, code: 8, response: H2Response(), wasSent: true),
                .closed(second, code: 8, response: H2Response(), wasSent: false),
            ]
        )
    }

    @Test("a GOAWAY turns away what is above it, and its reason is told")
    func goAway() throws {
        let session = try H2Session(keptFields: ["kept"])
        try session.receive(frame(4))
        let streams = (0..<3).compactMap { _ in session.submit(headers, body: [1]) }
        _ = try session.output(limit: 16384)
        try session.receive(frame(7, [0, 0, 0, 3, 0, 0, 0, 0] + Array("why".utf8)))
        #expect(
            session.takeEvents() == [
                .settings(maxConcurrentStreams: .max),
                .goAway(lastStreamID: 3, code: 0, debugText: "why"),
                .closed(streams[2], code: 7, response: H2Response(), wasSent: true),
            ]
        )
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
            let session = try H2Session(keptFields: ["kept"])
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

extension H2Session {
    fileprivate func output(limit: Int) throws(ConnectionError) -> [UInt8] {
        var bytes: [UInt8] = []
        try write(to: &bytes, limit: limit)
        return bytes
    }

    fileprivate func takeEvents() -> [H2Event] {
        var events: [H2Event] = []
        while let event = nextEvent() { events.append(event) }
        return events
    }
}

private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// xorshift64*.
    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
