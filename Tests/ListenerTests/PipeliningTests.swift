import Foundation
import HTTPModel
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct PipeliningTests {
    @Test(arguments: ["/echo", "/later"]) func pipelinedRequestsAreAnsweredInOrder(_ path: String) async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            var bytes = "POST \(path)?n=0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"
            for number in 1..<10 { bytes += "GET \(path)?n=\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
            try client.send(bytes)
            #expect(try client.readResponse().text == "POST \(path)?n=0 4")
            for number in 1..<10 { #expect(try client.readResponse().text == "GET \(path)?n=\(number) 0") }
            #expect(try client.get(path).status == 200)
        }
    }

    @Test(arguments: ["/echo", "/later"]) func bodiesPipelinedBehindOtherRequestsAreServed(_ path: String) async throws
    {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let get = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let post = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"
            let empty = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
            let all = Array((get + post + empty + post + get).utf8)
            try client.send(all.dropLast())
            try client.send("\n")
            for expected in [
                "GET \(path)? 0", "POST \(path)? 4", "POST \(path)? 0", "POST \(path)? 4", "GET \(path)? 0",
            ] {
                #expect(try client.readResponse().text == expected)
            }
        }
    }

    @Test func aRequestWaitsForTheAnswerToTheOneBefore() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            let post = "POST /never HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"
            try client.send(post)
            try await journal.wait(for: "unanswered")
            try client.send(post)
            try await Task.sleep(for: .milliseconds(50))
            #expect(journal.all.count { $0 == "unanswered" } == 1)
            for (number, text) in ["one", "two"].enumerated() {
                try await journal.wait(for: "unanswered", times: number + 1)
                await loop.turn { $0.respond($0.testHandler.unanswered[number], .text(text)) }
                #expect(try client.readResponse().text == text)
            }
        }
    }

    @Test func readingResumesAfterPipelinedRequests() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let large = "GET /echo HTTP/1.1\r\nHost: localhost\r\nX-Pad: \(String(repeating: "a", count: 9000))\r\n\r\n"
            let last = "GET /last HTTP/1.1\r\nHost: localhost\r\n"
            try client.send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n" + large + large + large + last)
            #expect(try client.readResponse().text == "GET /later? 0")
            for _ in 0..<3 { #expect(try client.readResponse().text == "GET /echo? 0") }
            try client.send("\r\n")
            #expect(try client.readResponse().text == "GET /last? 0")
        }
    }

    @Test func pipelinedInputIsBounded() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await journal.wait(for: "unanswered")
            let get = "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let flood = Array(String(repeating: get, count: 200_000).utf8)
            var sent = 0
            _ = fcntl(client.descriptor, F_SETFL, O_NONBLOCK)
            for _ in 0..<50 {
                let count = flood.withUnsafeBytes {
                    send(client.descriptor, $0.baseAddress! + sent, flood.count - sent, Int32(MSG_NOSIGNAL))
                }
                sent += max(0, count)
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(sent < flood.count)
            let held = await loop.turn { $0.connections.values.map(\.reader.count).max() ?? 0 }
            #expect(held <= 128 * 1024)
        }
    }
}
