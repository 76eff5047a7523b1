import EventModel
import HTTPModel
import Signing
import Synchronization
import Testing

@testable import Access

@Suite("Authenticator, API keys")
struct APIKeyAuthenticatorTests {
    private final class Clock: Sendable {
        let time = Mutex(Timestamp(microseconds: 1_800_000_000_000_000))
        func pass(seconds: Double) { time.withLock { $0 = $0.adding(seconds: seconds) } }
    }

    private let clock = Clock()
    private let key: AccessKey
    private let authenticator: Authenticator
    private var grant = APIKeyGrant(id: 4, name: "editor", grants: Grants([.chat], on: .only([MachineID(rawValue: 7)])))

    init() throws {
        var random = SystemRandomNumberGenerator()
        key = AccessKey.generate(.api, using: &random)
        let tokens = DeviceTokens(key: try ES256PrivateKey.generate())
        let gate: Authenticator.DeviceGate = (tokens, { [clock] in clock.time.withLock { $0 } })
        authenticator = Authenticator(adminToken: "an admin token", gate: gate)
        grant.expiresAt = clock.time.withLock { $0 }.adding(seconds: 10)
        authenticator.replaceKeys(KeySet(programs: [(key.digest, grant)]), load: authenticator.beginLoad())
    }

    private var request: HTTPRequest { HTTPRequest(method: .get, path: "/", headers: ["x-api-key": key.text]) }

    @Test("a chat key chats on its machine, and does nothing else")
    func chat() throws {
        let principal = try authenticator.authorize(request, for: .chat)
        #expect(principal == Principal(.apiKey(grant)))
        #expect(principal.may(.chat, on: MachineID(rawValue: 7)))
        #expect(!principal.may(.chat, on: MachineID(rawValue: 8)))
        for capability in Capability.allCases where capability != .chat {
            let error = #expect(throws: APIError.self) { try authenticator.authorize(request, for: capability) }
            #expect(error?.status == 403)
        }
    }

    @Test("an expired key is refused, and says why")
    func expired() {
        let principal = Principal(.apiKey(grant))
        clock.pass(seconds: 9)
        #expect(authenticator.current(principal) == principal)
        clock.pass(seconds: 1)
        let error = #expect(throws: APIError.self) { try authenticator.authenticate(request) }
        #expect(error?.status == 401 && error?.code == "key_expired")
        #expect(authenticator.current(principal) == nil)
    }

    @Test("a revoked key ends what it has open")
    func revoked() {
        authenticator.replaceKeys(KeySet(), load: authenticator.beginLoad())
        #expect(authenticator.current(Principal(.apiKey(grant))) == nil)
        let error = #expect(throws: APIError.self) { try authenticator.authenticate(request) }
        #expect(error?.code == "invalid_api_key")
    }

    @Test("a mistyped key says so, and is no guess of the admin token")
    func mistyped() {
        let wrong = HTTPRequest(method: .get, path: "/", headers: ["x-api-key": key.text + "x"])
        let error = #expect(throws: APIError.self) { try authenticator.authenticate(wrong) }
        #expect(error?.message.contains("check characters") == true)
        #expect(!Authenticator.mayBeGuess(wrong))
    }

    @Test("a key's own rate takes the place of the general one")
    func rate() {
        var limited = grant
        limited.requestsPerMinute = 2
        let limiter = RateLimiter(machines: nil, clients: nil)
        let now = Timestamp(microseconds: 1_800_000_000_000_000)
        let credential = Principal(.apiKey(limited)).limitedCredential
        let verdicts = credential.map { credential in (0..<3).map { _ in limiter.take(credential, now: now) } } ?? []
        #expect(verdicts.map { $0?.isAllowed } == [true, true, false])
        #expect(verdicts.first??.limit == 2)
        #expect(Principal(.apiKey(grant)).limitedCredential.flatMap { limiter.take($0, now: now) } == nil)
    }
}
