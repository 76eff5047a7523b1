import DatabaseSamples
import EventModel
import Testing

@testable import Devices
@testable import Notifications
@testable import Persistence

@Suite struct AppleSignInTests {
    private let database: TestDatabase
    private let store: PostgresStore
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    init() throws {
        database = try TestDatabase()
        store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
    }

    private func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func secret(_ byte: UInt8, livesFor seconds: Double = 300) -> NewSecret {
        NewSecret(sha256: digest(byte), expiresAt: now.adding(seconds: seconds))
    }

    private func signIn(
        _ subject: String,
        email: String? = nil,
        isAllowed: Bool = false,
        allowlist: [String] = [],
        invitation: UInt8? = nil,
        token: UInt8
    ) async throws -> (device: DeviceID, identity: Int64)? {
        let person = AppleSignIn(
            subject: subject,
            verifiedEmail: email,
            isAllowedSubject: isAllowed,
            allowedEmail: email.flatMap { allowlist.contains($0) ? $0 : nil },
            allowedEmails: allowlist,
            invitationSHA256: invitation.map(digest)
        )
        let admitted = try await store.signIn(
            person,
            deviceName: "phone",
            platform: "iOS",
            refreshToken: secret(token, livesFor: 3600),
            now: now
        )
        #expect(admitted.map(\.rights.grants) ?? Grants([.read]) == Grants([.read]))
        return admitted.map { ($0.device, $0.identity) }
    }

    private func makePairing(_ byte: UInt8 = 1) async throws {
        _ = try await store.createPairing(
            codeSHA256: digest(byte),
            token: secret(byte + 1),
            capabilities: [.read, .respond, .administer],
            now: now
        )
    }

    @Test func aStrangerStaysOut() async throws {
        #expect(try await signIn("stranger", email: "a@b.example", allowlist: ["c@d.example"], token: 100) == nil)
        #expect(try await signIn("stranger", invitation: 9, token: 101) == nil)
        #expect(try await store.appleIdentities() == [])
        #expect(try await store.devices() == [])
        store.stop()
    }

    @Test func anInvitationBindsOnePersonForGood() async throws {
        try await makePairing()
        let first = try #require(try await signIn("owner", email: "o@x.example", invitation: 1, token: 100))
        #expect(try await signIn("other", invitation: 1, token: 101) == nil)
        #expect(try await signIn("other", invitation: 2, token: 101) == nil)
        let second = try #require(try await signIn("owner", token: 102))
        #expect(second.identity == first.identity)
        let people = try await store.appleIdentities()
        #expect(people.map(\.subject) == ["owner"])
        #expect(people.map(\.email) == ["o@x.example"])
        #expect(people.map(\.wasInvited) == [true])
        #expect(people.map(\.deviceCount) == [2])
        #expect(try await store.devices().map(\.owner) == ["o@x.example", "owner"])
        #expect(Set(try await store.activeDevices().keys) == [first.device, second.device])
        // Whatever the invitation grants.
        #expect(try await store.devices().map(\.grants) == [Grants([.read]), Grants([.read])])
        store.stop()
    }

    @Test func aPersonWhoIsRemovedLeavesNoPushTokens() async throws {
        let person = try #require(try await signIn("owner", isAllowed: true, token: 100))
        var token = NewPushToken(kind: .alert, token: "ab", sha256: digest(9))
        token.environment = .production
        #expect(try await store.registerPushToken(token, of: person.device, now: now) != nil)
        let notice = Notifications.Notification(
            key: "test:1",
            kind: .question,
            place: NotificationPlace(),
            seq: 0,
            raisedAt: now,
            notBefore: now,
            expiresAt: now.adding(seconds: 600),
            collapseID: "test"
        )
        #expect(try await store.addPushNotice(notice, for: person.device, now: now).count == 1)
        #expect(try await store.removeAppleIdentity(person.identity, now: now)?.devices == [person.device])
        #expect(try await store.pushTokens(of: person.device).isEmpty)
        #expect(try database.texts("SELECT state || ' ' || code FROM push_deliveries") == ["withdrawn device_revoked"])
        store.stop()
    }

    @Test func aSecondRunFindsTheDeviceOfTheFirst() async throws {
        try await makePairing()
        let invited = try #require(try await signIn("owner", invitation: 1, token: 100))
        #expect(try await signIn("owner", invitation: 1, token: 100)?.device == invited.device)
        let known = try #require(try await signIn("owner", token: 101))
        let again = try #require(try await signIn("owner", token: 101))
        #expect(again.device == known.device && again.identity == known.identity)
        #expect(try await store.devices().count == 2)
        store.stop()
    }

    @Test func aPersonWhoIsKnownDoesNotUseUpAnInvitation() async throws {
        try await makePairing()
        _ = try await signIn("owner", isAllowed: true, token: 100)
        #expect(try await signIn("owner", isAllowed: true, invitation: 1, token: 101) != nil)
        #expect(try await signIn("guest", invitation: 1, token: 102) != nil)
        store.stop()
    }

    @Test func aSubjectOnTheListComesInOnlyWhileItIsThere() async throws {
        let first = try #require(try await signIn("owner", isAllowed: true, token: 100))
        #expect(try await signIn("owner", isAllowed: true, token: 101)?.identity == first.identity)
        #expect(try await signIn("owner", isAllowed: false, token: 102) == nil)
        store.stop()
    }

    @Test func anAddressOnTheListLetsInTheFirstSubjectWithItAndNoOther() async throws {
        let list = ["o@x.example"]
        #expect(try await signIn("owner", email: "o@x.example", allowlist: list, token: 100) != nil)
        #expect(try await signIn("thief", email: "o@x.example", allowlist: list, token: 101) == nil)
        // Apple tells the address at the first sign-in only.
        #expect(try await signIn("owner", allowlist: list, token: 102) != nil)
        #expect(try await signIn("owner", email: "o@x.example", allowlist: [], token: 103) == nil)
        #expect(try await store.appleIdentities().map(\.wasInvited) == [false])
        store.stop()
    }

    @Test func whoWasRemovedIsOutWithAllDevices() async throws {
        try await makePairing()
        let first = try #require(try await signIn("owner", invitation: 1, token: 100))
        let second = try #require(try await signIn("owner", token: 101))
        let revoked = try await store.removeAppleIdentity(first.identity, now: now)?.devices
        #expect(Set(revoked ?? []) == [first.device, second.device])
        #expect(try await store.activeDevices().isEmpty)
        #expect(try await store.devices().map(\.state) == [.revoked, .revoked])
        #expect(try await store.refreshToken(sha256: digest(100))?.isRevoked == true)
        #expect(try await signIn("owner", token: 102) == nil)
        #expect(try await store.removeAppleIdentity(first.identity, now: now)?.devices == nil)
        store.stop()
    }

    @Test func aNonceIsGoodOnce() async throws {
        try await store.addSignInNonce(secret(7), now: now)
        #expect(try await store.useSignInNonce(sha256: digest(8), now: now) == false)
        #expect(try await store.useSignInNonce(sha256: digest(7), now: now))
        #expect(try await store.useSignInNonce(sha256: digest(7), now: now) == false)
        try await store.addSignInNonce(secret(9), now: now)
        #expect(try await store.useSignInNonce(sha256: digest(9), now: now.adding(seconds: 300)) == false)
        store.stop()
    }
}
