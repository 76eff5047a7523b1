import Testing

@testable import Listener

private let post = "POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
private let refused = "POST /refused HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"

/// Requests whose bodies come in chunks, through sockets.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChunkedRequestTests {
    @Test(arguments: ["POST", "PUT", "GET", "DELETE", "HEAD"])
    func theBodyIsTheDataOfTheChunks(method: String) async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let request = post.replacing("POST", with: method)
            try client.send(request + "\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n")
            let response = try client.readResponse(hasBody: method != "HEAD")
            #expect(response.status == 200)
            #expect(method == "HEAD" || response.text == "\(method) /a? 11")
            #expect(try client.get("/b").text == "GET /b? 0")
        }
    }

    @Test func requestsBehindAChunkedBodyAreAnsweredInOrder() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let chunked = "\r\n2\r\nab\r\n0\r\n\r\n"
            let length = "POST /c HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
            let later = post.replacing("/a", with: "/later")
            let all = later + chunked + post + chunked + length + post + chunked
            let answers = ["POST /later? 2", "POST /a? 2", "POST /c? 3", "POST /a? 2"]
            for size in [1, 7, 50, all.utf8.count] {
                var rest = Array(all.utf8)[...]
                while !rest.isEmpty {
                    try client.send(Array(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
                for answer in answers { #expect(try client.readResponse().text == answer) }
            }
        }
    }

    @Test func aWaitingClientIsAskedForItsChunks() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send(post + "Expect: 100-continue\r\n\r\n")
            #expect(try client.readHead().status == 100)
            try client.send("2\r\nab\r\n0\r\n\r\n")
            #expect(try client.readResponse().text == "POST /a? 2")
            // Refused before the body: nothing is asked for, and the connection ends.
            try client.send(refused.replacing("\r\n\r\n", with: "\r\nExpect: 100-continue\r\n\r\n"))
            #expect(try client.readResponse().status == 401)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aRefusedRequestEndsTheConnectionWithItsChunks() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send(refused + "1E\r\nGET /smuggled HTTP/1.1\r\n\r\n0\r\n\r\n")
            #expect(try client.readResponse().status == 401)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aLargeBodyArrivesWholeAndALargerOneIsRefused() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let chunk = "10000\r\n" + String(repeating: "a", count: 65536) + "\r\n"
            try client.send(post + "\r\n" + String(repeating: chunk, count: 16) + "0\r\n\r\n")
            #expect(try client.readResponse().text == "POST /a? 1048576")
            try client.send(post + "\r\n" + String(repeating: chunk, count: 16) + "1\r\n")
            #expect(try client.readResponse().status == 413)
            #expect(try client.isClosedByServer())
        }
    }

    @Test(arguments: ["", "2\r\nab\r\n", "0\r\nX: "]) func slowChunksAreCutOff(part: String) async throws {
        try await withLoop(configure: {
            $0.bodyGraceSeconds = 1
            $0.minBodyRate = 1000
        }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send(post + "\r\n" + part)
            #expect(try client.readResponse().status == 408)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func chunksHaveTheDeadlineOfABody() async throws {
        try await withLoop(configure: {
            $0.bodySeconds = 1
            $0.minBodyRate = 0
        }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send(post + "\r\n2\r\nab\r\n")
            #expect(try client.readResponse().status == 408)
        }
    }
}
