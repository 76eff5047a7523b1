import EventModel
import Foundation
import Signing
import Testing

@testable import PushGateway

@Suite("Provider tokens", .timeLimit(.minutes(5)))
struct ProviderTokenTests {
    private func temporaryPath() -> String { NSTemporaryDirectory() + "provider-token-\(UUID().uuidString)" }

    @Test("a connection changes its token after 50 minutes, and Apple's rules are kept")
    func refresh() async throws {
        let fixture = try Fixture(checksTokens: true)
        for _ in 0..<30 {
            #expect(try await fixture.push().isAccepted)
            fixture.clock.advance(7 * 60)
        }
        let record = fixture.mock.record
        #expect(record.tokenRefusals == [])
        #expect(record.tokens[0]?.count == 4)
        #expect(record.connections == 1)
    }

    @Test("connections opened while the token is old do not get another one soon")
    func sharedToken() async throws {
        let fixture = try Fixture(checksTokens: true)
        for step in 0..<40 {
            #expect(try await fixture.push().isAccepted)
            fixture.clock.advance(Double([3, 11, 19, 2][step % 4]) * 60)
            if step % 3 == 2 {
                let closed = fixture.mock.record.closedConnections
                fixture.mock.send(.goAway)
                #expect(await fixture.mock.wait { $0.closedConnections > closed })
            }
        }
        #expect(fixture.mock.record.tokenRefusals == [])
    }

    @Test("an expired token: with a younger one to be had, once more on another connection")
    func expired() async throws {
        var script = MockScript()
        script.reply = { $0.connection == 0 && $0.stream > 1 ? [.error(403, "ExpiredProviderToken")] : [.ok] }
        let fixture = try Fixture(script)
        #expect(try await fixture.push().isAccepted)
        fixture.clock.advance(40 * 60)
        #expect(try await fixture.push().isAccepted)
        let record = fixture.mock.record
        #expect(record.connections == 2)
        #expect(record.tokens[0]?.first != record.tokens[1]?.first)
    }

    @Test("an expired token that is young here means that a clock is wrong: no second try, no second token")
    func clockSkew() async throws {
        let fixture = try Fixture(checksTokens: true)
        let key = ProviderKey(keyID: Fixture.keyID, teamID: Fixture.teamID, key: fixture.key)
        let behind = TestClock()
        behind.advance(-2 * 3600)
        let certificates = try TestCertificates.shared.get()
        let tokens = ProviderTokens(key: key, path: nil, logger: .init(label: "test")) { behind.wall() }
        let client = try APNsClient(
            configuration: Fixture.configuration(port: fixture.mock.port, certificates) { _, _ in },
            tokens: tokens,
            logger: .init(label: "test"),
            clock: behind.pushClock
        )
        defer { client.stop() }
        for _ in 0..<3 {
            let request = try APNsRequest(
                deviceToken: "ab",
                bundleID: "org.example.monitor",
                pushType: .alert,
                priority: .immediate,
                payload: Array(#"{"aps":{}}"#.utf8),
                deadline: behind.wall().adding(seconds: 20)
            )
            let rejection = await client.submit(request).rejection
            #expect(rejection?.answer.reason == .expiredProviderToken)
            #expect(rejection?.reaction.fault == .clockSkew)
        }
        let record = fixture.mock.record
        #expect(record.requests.count == 3)
        #expect(Set(record.tokens.values.flatMap { $0 }).count == 1)
        #expect(record.connections == 3)
    }

    @Test("a restart goes on with the token in the file, whose mode is 0600")
    func restart() async throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let key = try ES256PrivateKey.generate()
        let provider = ProviderKey(keyID: "K", teamID: "T", key: key)
        let clock = TestClock()
        func start() -> ProviderTokens {
            ProviderTokens(key: provider, path: path, logger: .init(label: "test")) { clock.wall() }
        }
        let first = try start().token(held: nil)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        clock.advance(29 * 60)
        #expect(try start().token(held: nil) == first)
        let other = ProviderKey(keyID: "L", teamID: "T", key: key)
        let otherTokens = ProviderTokens(key: other, path: nil, logger: .init(label: "test")) { clock.wall() }
        #expect(try otherTokens.token(held: nil) != first)
        let running = start()
        clock.advance(2 * 60)
        let second = try start().token(held: nil)
        #expect(second != first)
        // What another process made is taken from the file; what is held is kept.
        #expect(try running.token(held: nil) == second)
        #expect(try running.token(held: first) == first)
    }

    @Test("nothing that can be logged names the token")
    func description() throws {
        let provider = ProviderKey(keyID: "K", teamID: "T", key: try ES256PrivateKey.generate())
        let token = try provider.mint(at: Timestamp(microseconds: 0))
        #expect(!"\(token)\([token])\(String(reflecting: token))".contains(token.text))
        #expect("\(provider)" == "provider key K of team T")
    }

    @Test("a file that is broken, foreign or cannot be written only costs a new token")
    func brokenFile() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let provider = ProviderKey(keyID: "K", teamID: "T", key: try ES256PrivateKey.generate())
        for content in ["", "{", "[]", #"{"key_id":"K","team_id":"T"}"#, #"{"key_id":"X","team_id":"T","token":"t"}"#] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            let clock = TestClock()
            let tokens = ProviderTokens(key: provider, path: path, logger: .init(label: "test")) { clock.wall() }
            #expect(try tokens.token(held: nil).text.split(separator: ".").count == 3)
        }
        let clock = TestClock()
        let tokens = ProviderTokens(key: provider, path: "/nowhere/x", logger: .init(label: "test")) { clock.wall() }
        let token = try tokens.token(held: nil)
        #expect(try tokens.token(held: nil) == token)
    }
}

@Suite("ProviderTokenSchedule")
struct ProviderTokenScheduleTests {
    /// Any number of connections that come, push and go at random, and restarts that forget all but the file.
    @Test(
        "no connection sees two changes within 20 minutes, no token is old, none are made within 30",
        arguments: 1...20
    )
    func property(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var now = 0.0
        var current: Double?
        var lastMint = -Double.infinity
        var connections: [(held: Double, changedAt: Double)?] = Array(repeating: nil, count: 5)
        func stamp(_ seconds: Double) -> Timestamp { Timestamp(microseconds: Int64(seconds * 1_000_000)) }
        for _ in 0..<5000 {
            now += Double.random(in: 0...600, using: &random)
            let index = Int.random(in: 0..<5, using: &random)
            if Int.random(in: 0..<10, using: &random) == 0 { connections[index] = nil }
            let held = connections[index]
            if let held, ProviderTokenSchedule.mayBeHeld(mintedAt: stamp(held.held), now: stamp(now)) {
                #expect(now - held.held < 50 * 60)
                continue
            }
            if current.map({ !ProviderTokenSchedule.mayBeTaken(mintedAt: stamp($0), now: stamp(now)) }) ?? true {
                #expect(now - lastMint > 30 * 60)
                current = now
                lastMint = now
            }
            if let held { #expect(now - held.changedAt >= 20 * 60) }
            connections[index] = (held: try #require(current), changedAt: now)
        }
    }

    @Test("a token from the future is not used")
    func future() {
        let now = Timestamp(microseconds: 0)
        #expect(ProviderTokenSchedule.mayBeHeld(mintedAt: now.adding(seconds: 60), now: now))
        #expect(!ProviderTokenSchedule.mayBeHeld(mintedAt: now.adding(seconds: 600), now: now))
        #expect(!ProviderTokenSchedule.mayBeTaken(mintedAt: now.adding(seconds: 600), now: now))
    }
}

struct SeededGenerator: RandomNumberGenerator {
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
