import HTTPModel
import Logging
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(1))) struct LoopGroupTests {
    private func withGroup(
        of count: Int,
        maxConnections: Int = 64,
        _ body: (LoopGroup, ListenAddress) async throws -> Void
    ) async throws {
        var configuration = ListenerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.maxConnections = maxConnections
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let group = LoopGroup(count: count, configuration: configuration, logger: logger) { _ in
            TestHandler(journal: Journal())
        }
        let bound = try group.start()
        do {
            try await body(group, bound[0].address)
        } catch {
            await group.stop(graceSeconds: 0)
            throw error
        }
        await group.stop(graceSeconds: 0)
    }

    @Test func connectionsAreDealtToAllLoopsInTurn() async throws {
        try await withGroup(of: 3) { group, address in
            let clients = try (0..<6).map { _ in try RawClient(address) }
            for client in clients {
                #expect(try client.get("/echo").text == "GET /echo? 0")
                try client.upgrade()
                try client.send(clientFrame(1, Array("x".utf8)))
                #expect(try client.readText() == "x")
            }
            for loop in group.loops { #expect(await loop.channelCount == 2) }
            for _ in group.loops {
                let stranger = try RawClient(address)
                try stranger.send("GET /echo HTTP/1.1\r\nHost: example.org\r\n\r\n")
                #expect(try stranger.readResponse().status == 421)
            }
        }
    }

    @Test func loopsShareTheLimitOfConnections() async throws {
        try await withGroup(of: 2, maxConnections: 4) { _, address in
            let clients = try (0..<4).map { _ in try RawClient(address) }
            for client in clients { #expect(try client.get("/echo").status == 200) }
            #expect(try RawClient(address).readResponse().status == 503)
            withExtendedLifetime(clients) {}
        }
    }

    @Test func whatComesWhileALoopStopsIsTurnedAway() async throws {
        try await withGroup(of: 2) { group, address in
            await group.loops[1].stop(graceSeconds: 0)
            let answers = try (0..<4).map { _ in
                let client = try RawClient(address)
                try? client.send("GET /echo HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                return try client.readResponse().status
            }
            #expect(answers.sorted() == [200, 200, 503, 503])
        }
    }
}
