import Foundation
import HTTPModel
import Synchronization
import Testing

@testable import HTTPClient

@Suite("OutboundClient")
struct OutboundClientTests {
    private let loopback = OutboundClient(
        rules: .public(and: IPNetworks(["127.0.0.0/8"]) ?? IPNetworks()),
        caFile: nil
    ) { ProcessInfo.processInfo.systemUptime }
    private let limits = OutboundLimits(seconds: 20, bytes: 1000)

    private func request(_ port: UInt16, _ path: String = "/", post body: String? = nil) throws -> OutboundRequest {
        let location = try #require(HTTPLocation("http://127.0.0.1:\(port)\(path)"))
        return OutboundRequest(body == nil ? .get : .post, location, body: Array((body ?? "").utf8))
    }

    private func text(_ response: OutboundResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test("a body is sent, and the whole answer comes back")
    func post() async throws {
        let server = try ScriptedServer { request in
            let body = request.components(separatedBy: "\r\n\r\n").last ?? ""
            return "HTTP/1.1 201 X\r\nX-Y: z\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ngot\r\n"
                + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
        }
        let response = try await loopback.response(to: try request(server.port, post: "hello"), within: limits)
        #expect(response.head.status == 201)
        #expect(response.head.value("x-y") == "z")
        #expect(text(response) == "gothello")
    }

    @Test("an answer without a length ends with its connection")
    func untilEnd() async throws {
        let server = try ScriptedServer { _ in "HTTP/1.1 200 OK\r\n\r\nabc" + ScriptedServer.hangUp }
        #expect(text(try await loopback.response(to: try request(server.port), within: limits)) == "abc")
    }

    @Test("an answer that is cut is refused")
    func cut() async throws {
        let server = try ScriptedServer { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc" + ScriptedServer.hangUp
        }
        let request = try request(server.port)
        await #expect(throws: OutboundError.malformed) { try await loopback.response(to: request, within: limits) }
    }

    @Test("an answer beyond its limit is not read to its end")
    func tooLarge() async throws {
        let server = try ScriptedServer { _ in
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a", count: 20_000_000)
        }
        let request = try request(server.port)
        await #expect(throws: OutboundError.tooLarge(limit: 1000)) {
            try await loopback.response(to: request, within: limits)
        }
        #expect(server.waitForClose())
    }

    @Test("a silent server, and one that never ends, are given up at the deadline")
    func timedOut() async throws {
        for answer in ["", "HTTP/1.1 200 OK\r\n\r\nabc"] {
            let server = try ScriptedServer { _ in answer }
            let request = try request(server.port)
            await #expect(throws: OutboundError.timedOut) {
                try await loopback.response(to: request, within: OutboundLimits(seconds: 0.3, bytes: 1000))
            }
            #expect(server.waitForClose())
        }
    }

    @Test("a redirect within the origin is followed, with the body if the method stays")
    func redirected() async throws {
        let server = try ScriptedServer { request in
            if request.contains("POST /mcp ") {
                return "HTTP/1.1 307 X\r\nLocation: /mcp/\r\nContent-Length: 0\r\n\r\n"
            }
            let isPost = request.contains("POST /mcp/ ") && request.hasSuffix("hello")
            return "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(isPost ? "y" : "n")"
        }
        let request = try request(server.port, "/mcp", post: "hello")
        #expect(text(try await loopback.response(to: request, within: limits)) == "y")
    }

    @Test("a redirect to another place, and an endless one, are refused", arguments: ["other", "endless", "secure"])
    func refusedRedirect(kind: String) async throws {
        let other = try ScriptedServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        let server = try ScriptedServer { _ in
            let place = ["other": "http://127.0.0.1:\(other.port)/", "secure": "https://127.0.0.1/"][kind] ?? "/"
            return "HTTP/1.1 307 X\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"
        }
        let request = try request(server.port)
        await #expect(throws: OutboundError.redirected) { try await loopback.response(to: request, within: limits) }
    }

    @Test("only listed addresses are reached without TLS, and private ones only if listed")
    func addresses() async throws {
        let server = try ScriptedServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        let open = OutboundClient(rules: .public(and: IPNetworks()), caFile: nil) { 0 }
        for scheme in ["http", "https"] {
            for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1"] {
                let location = try #require(HTTPLocation("\(scheme)://\(host):\(server.port)/"))
                do {
                    _ = try await open.response(to: OutboundRequest(.get, location), within: limits)
                    Issue.record("\(location) was reached")
                } catch {
                    guard case .connection(let reason) = error else {
                        Issue.record("\(location): \(error)")
                        continue
                    }
                    #expect(reason.code == .forbiddenAddress, "\(location): \(reason)")
                }
            }
        }
        let listed = try await loopback.response(to: try request(server.port), within: limits)
        #expect(listed.head.status == 200)
    }

    @Test("the caller can stop a stream, and so can a cancelled task")
    func stops() async throws {
        let server = try ScriptedServer { _ in "HTTP/1.1 200 OK\r\n\r\ndata: a\n\n" }
        let request = try request(server.port)
        try await loopback.stream(request, within: limits) { part in if case .body = part { false } else { true } }
        #expect(server.waitForClose())
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [loopback, limits] () -> OutboundError? in
            do throws(OutboundError) {
                try await loopback.stream(request, within: limits) { _ in
                    beginning.yield()
                    return true
                }
                return nil
            } catch {
                return error
            }
        }
        for await _ in begun { break }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(server.waitForClose())
    }
}
