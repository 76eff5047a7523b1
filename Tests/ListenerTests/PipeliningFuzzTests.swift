import Foundation
import Testing

@testable import Listener

/// Splitmix64: the same sequences in each run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct PipeliningFuzzTests {
    /// A body that would be a request if somebody took it for one.
    private static let body = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func anySequenceInAnyPiecesIsAnsweredInOrderOrNotAtAll() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("pipelining-\(UUID().uuidString)").path
        try await withLoop(
            [.tcp(host: "127.0.0.1", port: 0), .unix(path: path)],
            // A busy machine takes longer for the pieces of a head or a body.
            configure: { ($0.headerSeconds, $0.bodyGraceSeconds) = (60, 60) }
        ) { _, addresses, _ in
            var random = SeededGenerator(state: 42)
            for round in 0..<300 {
                var bytes: [UInt8] = []
                var expected: [String] = []
                for number in 0..<Int.random(in: 1...6, using: &random) {
                    let path = Bool.random(using: &random) ? "/echo" : "/later"
                    let target = "\(path)?n=\(number)"
                    switch Int.random(in: 0...3, using: &random) {
                    case 0, 1:
                        bytes += "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8
                        expected.append("GET \(target) 0")
                    case 2:
                        bytes += "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".utf8
                        expected.append("POST \(target) 0")
                    default:
                        let length = "Content-Length: \(Self.body.utf8.count)"
                        bytes += "PUT \(target) HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\r\n\(Self.body)".utf8
                        expected.append("PUT \(target) \(Self.body.utf8.count)")
                    }
                }
                let client = try RawClient(addresses[round % 2])
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...120, using: &random))
                    rest = rest.dropFirst(piece.count)
                    guard (try? client.send(Array(piece))) != nil else { break }
                    if Bool.random(using: &random) { await Task.yield() }
                }
                var answers: [String] = []
                while answers.count < expected.count, let response = try? client.readResponse() {
                    answers.append(response.text)
                }
                #expect(answers == Array(expected.prefix(answers.count)), "round \(round)")
                #expect(!answers.isEmpty, "round \(round)")
            }
            #expect(try RawClient(addresses[0]).get("/echo").status == 200)
        }
    }
}
