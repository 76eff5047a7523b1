import Foundation
import HTTPModel
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct HTTPTests {
    @Test func answersAndKeepsTheConnection() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            for number in 0..<3 {
                let response = try client.get("/echo?a=b%20c&d=\(number)")
                #expect(response.status == 200)
                #expect(response.text == "GET /echo?a=b%20c&d=\(number) 0")
                #expect(response.headers["connection"] == nil)
            }
        }
    }

    @Test func answersLaterFromAnotherThread() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            for _ in 0..<3 { #expect(try client.get("/later").text == "GET /later? 0") }
            try client.send("POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try client.readResponse().text == "POST /later? 3")
        }
    }

    @Test func aRefusalOfHEADHasNoBody() async throws {
        try await withLoop { _, addresses, _ in
            for fields in ["Host: evil.example\r\n", "Host: localhost\r\nContent-Length: x\r\n"] {
                let client = try RawClient(addresses[0])
                try client.send("HEAD /a HTTP/1.1\r\n\(fields)\r\n")
                #expect(String(decoding: try client.readToEnd(), as: UTF8.self).hasSuffix("\r\n\r\n"))
            }
        }
    }

    @Test func readsABodyOf240kB() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            for _ in 0..<2 {
                try client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 240000\r\n\r\n")
                try client.send([UInt8](repeating: 65, count: 240_000))
                #expect(try client.readResponse().text == "POST /echo? 240000")
            }
        }
    }

    @Test func readsEmptyBodies() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
                try client.send("\(method) /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                #expect(try client.readResponse().text == "\(method) /later? 0")
            }
        }
    }

    @Test func sendsALargeBodyToASlowReader() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0], receiveBuffer: 8192)
            let size = 8 * 1024 * 1024
            // The next request is already there while the answer is still on its way.
            try client.send(
                "GET /big?n=\(size) HTTP/1.1\r\nHost: localhost\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
            try await Task.sleep(for: .milliseconds(200))
            let response = try client.readResponse()
            #expect(response.body.count == size)
            #expect(response.body == (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            #expect(try client.readResponse().text == "GET /echo? 0")
        }
    }

    @Test func headHasALengthAndNoBody() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("HEAD /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let response = try client.readResponse(hasBody: false)
            #expect(response.status == 200)
            #expect(response.headers["content-length"] == "13")
            #expect(try client.get("/echo").text == "GET /echo? 0")
        }
    }

    @Test func noContentHasNoLength() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let response = try client.get("/empty")
            #expect(response.status == 204)
            #expect(response.headers["content-length"] == nil)
            #expect(try client.get("/echo").status == 200)
        }
    }

    @Test func everyResponseHasARequestID() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            #expect(try client.get("/echo", "X-Request-Id: my.id-1\r\n").headers["x-request-id"] == "my.id-1")
            let first = try client.get("/echo", "X-Request-Id: not ok\r\n").headers["x-request-id"]
            let second = try client.get("/echo").headers["x-request-id"]
            #expect(first != nil && first != "not ok")
            #expect(second != nil && first != second)
        }
    }

    @Test func expectedContinueIsSaid() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send(
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(try client.readHead().status == 100)
            try client.send("abc")
            #expect(try client.readResponse().text == "POST /echo? 3")
        }
    }

    @Test func refusalComesBeforeTheBody() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 401)
            #expect(response.headers["connection"] == "close")
            #expect(try client.isClosedByServer())
        }
    }

    @Test func refusalIsReadableEvenIfTheClientSendsOn() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n")
            try client.send([UInt8](repeating: 65, count: 200_000))
            #expect(try client.readResponse().status == 401)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func refusalWithoutBodyKeepsTheConnection() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            #expect(try client.get("/refused").status == 401)
            #expect(try client.get("/echo").status == 200)
        }
    }

    @Test func bodyOverTheLimitIs413() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 413)
            #expect(response.text.contains("body_too_large"))
            #expect(try client.isClosedByServer())
        }
    }

    @Test func closeIsHonoured() async throws {
        try await withLoop { _, addresses, _ in
            for path in ["/echo", "/later"] {
                let client = try RawClient(addresses[0])
                let response = try client.get(path, "Connection: close\r\n")
                #expect(response.headers["connection"] == "close")
                #expect(try client.isClosedByServer())
            }
        }
    }

    @Test func oldClientsAreClosedUnlessTheyKeepAlive() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("GET /echo HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n")
            #expect(try client.readResponse().headers["connection"] == "keep-alive")
            try client.send("GET /echo HTTP/1.0\r\nHost: localhost\r\n\r\n")
            #expect(try client.readResponse().status == 200)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func headersArePassedInLowerCase() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let response = try client.get(
                "/headers",
                "Authorization: Bearer x\r\nX-Api-Key:  k  \r\nX-Other: no\r\nLast-Event-ID: 7\r\nContent-Type: a/b\r\n"
            )
            #expect(
                response.text
                    == "authorization=Bearer x\ncontent-type=a/b\nhost=localhost\nlast-event-id=7\nx-api-key=k"
            )
        }
    }

    @Test func aHeaderValueCannotMakeASecondHeader() async throws {
        try await withLoop { _, addresses, _ in
            let response = try RawClient(addresses[0]).get("/injection")
            #expect(response.headers["x-b"] == nil)
        }
    }

    @Test func anOverdueAnswerIs503() async throws {
        try await withLoop(configure: { $0.answerSeconds = 1 }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let response = try client.get("/never")
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] == "1")
            #expect(try client.get("/echo").status == 200)
        }
    }

    @Test func anAnswerToAClosedConnectionIsDropped() async throws {
        try await withLoop { loop, addresses, journal in
            do {
                let client = try RawClient(addresses[0])
                try client.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await journal.wait(for: "unanswered")
            }
            await loop.turn { loop in
                for exchange in loop.testHandler.unanswered { loop.respond(exchange, .text("late")) }
                for exchange in loop.testHandler.unanswered { loop.respond(exchange, .text("twice")) }
            }
            #expect(try RawClient(addresses[0]).get("/echo").status == 200)
        }
    }
}
