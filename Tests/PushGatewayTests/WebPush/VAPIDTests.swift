import EventModel
import Foundation
import Logging
import Signing
import Synchronization
import Testing

@testable import PushGateway

@Suite("VAPID keys and tokens")
final class VAPIDTests {
    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "vapid-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func tokens(
        _ key: VAPIDKey,
        path: String? = nil,
        subject: String = "mailto:push@monitor.example.org",
        clock: TestClock
    ) throws -> VAPIDTokens {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let subject = try #require(VAPIDSubject(subject))
        return VAPIDTokens(key: key, subject: subject, path: path, logger: logger) { clock.wall() }
    }

    private func origin(_ number: Int = 0) -> PushOrigin { PushOrigin(host: "push-\(number).example.net", port: 443) }

    @Test("the first start makes a key that only its owner reads; the next one reads it")
    func firstStart() throws {
        let path = directory + "/vapid.pem"
        let made = try VAPIDKey.loadOrCreate(path: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try VAPIDKey.loadOrCreate(path: path).publicKeyText == made.publicKeyText)
        #expect(Base64URL.decode(made.publicKeyText)?.count == 65)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["vapid.pem"])
    }

    @Test("of several first starts at once all have the same key")
    func race() async throws {
        let path = directory + "/vapid.pem"
        let keys = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { try? VAPIDKey.loadOrCreate(path: path).publicKeyText } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(keys).count == 1)
        #expect(keys.allSatisfy { $0 != nil })
    }

    @Test("a file that is no key is told, and left as it is")
    func damaged() throws {
        let path = directory + "/vapid.pem"
        try Data("not a key".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: VAPIDKeyError.self) { try VAPIDKey.loadOrCreate(path: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "not a key")
        #expect(throws: VAPIDKeyError.self) { try VAPIDKey.loadOrCreate(path: directory) }
        #expect(throws: VAPIDKeyError.self) { try VAPIDKey.loadOrCreate(path: directory + "/none/vapid.pem") }
    }

    @Test("a token is for one origin, expires within a day, and names the operator")
    func claims() throws {
        let (clock, key) = (TestClock(), try ES256PrivateKey.generate())
        let token = try tokens(VAPIDKey(key), clock: clock).token(for: PushOrigin(host: "push.example.net", port: 444))
        let read = try JSONWebToken(verifying: token.text, with: key.publicKey)
        #expect(read.header["typ"]?.string == "JWT")
        #expect(read.claims["aud"]?.string == "https://push.example.net:444")
        #expect(read.claims["sub"]?.string == "mailto:push@monitor.example.org")
        let left = try #require(read.claims["exp"]?.integer) - clock.wall().microseconds / 1_000_000
        #expect((VAPIDToken.lifetime - 5...VAPIDToken.lifetime).contains(left))
        #expect(left <= 24 * 3600)
    }

    @Test("a token is used for twelve hours, and always has hours left")
    func reuse() throws {
        let (clock, key) = (TestClock(), VAPIDKey(try .generate()))
        let tokens = try tokens(key, clock: clock)
        let first = try tokens.token(for: origin())
        clock.advance(12 * 3600 - 60)
        #expect(try tokens.token(for: origin()) == first)
        #expect(try tokens.token(for: origin(1)) != first)
        clock.advance(120)
        #expect(try tokens.token(for: origin()) != first)
    }

    @Test("a clock that went back makes a new token, a little jitter does not")
    func backwards() throws {
        let clock = TestClock()
        let tokens = try tokens(VAPIDKey(.generate()), clock: clock)
        let first = try tokens.token(for: origin())
        clock.advance(-60)
        #expect(try tokens.token(for: origin()) == first)
        clock.advance(-3600)
        #expect(try tokens.token(for: origin()) != first)
    }

    @Test("tokens survive a restart, but not another key or subject")
    func restart() throws {
        let (clock, key, path) = (TestClock(), VAPIDKey(try .generate()), directory + "/vapid-tokens.json")
        let made = try (0..<3).map { try tokens(key, path: path, clock: clock).token(for: origin($0)) }
        let again = try (0..<3).map { try tokens(key, path: path, clock: clock).token(for: origin($0)) }
        #expect(made == again)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let other = try tokens(VAPIDKey(.generate()), path: path, clock: clock).token(for: origin())
        #expect(other != made[0])
        let subject = try tokens(key, path: path, subject: "https://monitor.example.org/", clock: clock)
        #expect(try subject.token(for: origin()) != made[0])
    }

    @Test("origins are remembered up to a bound")
    func bound() throws {
        let (clock, key, path) = (TestClock(), VAPIDKey(try .generate()), directory + "/vapid-tokens.json")
        let tokens = try tokens(key, path: path, clock: clock)
        for number in 0..<VAPIDTokens.originLimit + 5 { _ = try tokens.token(for: origin(number)) }
        let file = VAPIDTokenFile(path: path, publicKey: key.publicKeyText, subject: "mailto:push@monitor.example.org")
        #expect(file.read().count == VAPIDTokens.originLimit)
        #expect(file.read()[origin(0)] == nil)
        #expect(file.read()[origin(VAPIDTokens.originLimit + 4)] != nil)
    }

    @Test(
        "subjects that services take",
        arguments: ["mailto:push@example.org", "https://monitor.example.org/contact", "https://example.org"]
    )
    func subjects(text: String) {
        #expect(VAPIDSubject(text)?.text == text)
    }

    @Test(
        "subjects that Apple refuses every push for",
        arguments: [
            "", "push@example.org", "mailto:", "mailto:push", "mailto:push@localhost", "mailto:@example.org",
            "mailto: push@example.org", "mailto:<push@example.org>", "mailto:a@b@example.org", "https://localhost/",
            "http://example.org/", "https://server.local/", "mailto:push@example.", "tel:+123",
        ]
    )
    func badSubjects(text: String) {
        #expect(VAPIDSubject(text) == nil)
    }
}
