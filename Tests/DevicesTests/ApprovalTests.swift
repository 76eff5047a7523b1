import DatabaseSamples
import EventModel
import Testing

@testable import Devices
@testable import Persistence

@Suite struct ApprovalTests {
    private let database: TestDatabase
    private let store: PostgresStore
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    init() throws {
        database = try TestDatabase()
        store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
    }

    private func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func makePairing() async throws -> Int64 {
        let token = NewSecret(sha256: digest(2), expiresAt: now.adding(seconds: 300))
        return try await store.createPairing(codeSHA256: digest(1), token: token, now: now)
    }

    private func ask(
        _ byte: UInt8 = 1,
        from peer: String = "192.0.2.1",
        name: String = "phone",
        after seconds: Double = 0
    ) async throws -> PairingRequestState? {
        try await store.requestPairing(
            secretSHA256: digest(byte),
            name: name,
            platform: "iOS",
            peer: peer,
            now: now.adding(seconds: seconds)
        )
    }

    private func pair(approvedPeer: String?) async throws -> DeviceID? {
        let token = NewSecret(sha256: digest(100), expiresAt: now.adding(seconds: 3600))
        return try await store.pairDevice(
            secretSHA256: digest(1),
            name: "phone",
            platform: nil,
            refreshToken: token,
            approvedPeer: approvedPeer,
            now: now
        )?.device
    }

    @Test func aRequestWaitsUntilSomebodyDecides() async throws {
        let id = try await makePairing()
        let first = try #require(try await ask())
        #expect(first == PairingRequestState(id: id, expiresAt: now.adding(seconds: 300), isApproved: nil, isNew: true))
        #expect(try await ask(2, name: "other", after: 1)?.isNew == false)
        let waiting = PairingRequest(
            id: id,
            name: "phone",
            platform: "iOS",
            peer: "192.0.2.1",
            requestedAt: now,
            expiresAt: now.adding(seconds: 300),
            capabilities: "read"
        )
        #expect(try await store.waitingPairings(now: now) == [waiting])
        #expect(try await store.pairing(id: id)?.request == .pending)
        #expect(try await pair(approvedPeer: "192.0.2.1") == nil)
        #expect(try await store.decidePairing(id, isApproved: true, now: now))
        #expect(try await store.waitingPairings(now: now) == [])
        #expect(try await ask()?.isApproved == true)
        #expect(try await store.pairing(id: id)?.request == .approved)
        #expect(try await pair(approvedPeer: "192.0.2.1") != nil)
        #expect(try await ask() == nil)
        store.stop()
    }

    @Test func anApprovalIsForTheAddressThatAsked() async throws {
        let id = try await makePairing()
        _ = try await ask(from: "192.0.2.1")
        #expect(try await ask(from: "192.0.2.66") == nil)
        #expect(try await store.decidePairing(id, isApproved: true, now: now))
        #expect(try await ask(from: "192.0.2.66") == nil)
        #expect(try await pair(approvedPeer: "192.0.2.66") == nil)
        #expect(try await pair(approvedPeer: "192.0.2.1") != nil)
        store.stop()
    }

    @Test func aRejectedDeviceStaysOutForGood() async throws {
        let id = try await makePairing()
        _ = try await ask()
        #expect(try await store.decidePairing(id, isApproved: false, now: now))
        #expect(try await store.decidePairing(id, isApproved: true, now: now) == false)
        #expect(try await ask()?.isApproved == false)
        #expect(try await pair(approvedPeer: "192.0.2.1") == nil)
        #expect(try await pair(approvedPeer: nil) == nil)
        store.stop()
    }

    @Test func nothingCanBeDecidedThatNobodyAskedFor() async throws {
        let id = try await makePairing()
        #expect(try await store.decidePairing(id, isApproved: true, now: now) == false)
        #expect(try await store.decidePairing(id + 1, isApproved: true, now: now) == false)
        _ = try await ask()
        let late = now.adding(seconds: 300)
        #expect(try await store.decidePairing(id, isApproved: true, now: late) == false)
        #expect(try await store.waitingPairings(now: late) == [])
        #expect(try await ask(after: 300) == nil)
        store.stop()
    }

    @Test func unusedInvitationsCanBeVoidedTogether() async throws {
        _ = try await makePairing()
        #expect(try await store.voidPairings(now: now.adding(seconds: 1)) == 1)
        #expect(try await store.voidPairings(now: now.adding(seconds: 1)) == 0)
        #expect(try await ask(after: 1) == nil)
        store.stop()
    }
}
