import DatabaseSamples
import EventModel
import Foundation
import Notifications
import Testing

@testable import Devices
@testable import Persistence

@Suite struct DeviceTests {
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

    /// A pairing with code 1 and token 2.
    private func makePairing() async throws -> Int64 {
        try await store.createPairing(codeSHA256: digest(1), token: secret(2), now: now)
    }

    private func pair(_ byte: UInt8, refresh: UInt8 = 100, after seconds: Double = 0) async throws -> DeviceID? {
        try await store.pairDevice(
            secretSHA256: digest(byte),
            name: "phone",
            platform: "iOS",
            refreshToken: secret(refresh, livesFor: 3600),
            now: now.adding(seconds: seconds)
        )?.device
    }

    @Test func aPairingIsGoodForOneDeviceByCodeOrToken() async throws {
        let id = try await makePairing()
        #expect(try await makePairing() == id)
        #expect(try await store.pairing(id: id)?.device == nil)
        let device = try #require(try await pair(1))
        for byte: UInt8 in 1...2 { #expect(try await pair(byte, refresh: 101) == nil) }
        #expect(try await store.pairing(id: id)?.device?.id == device)
        #expect(try await store.devices().map(\.name) == ["phone"])
        #expect(try await store.activeDevices().map(\.key) == [device])
        store.stop()
    }

    @Test func aPairingWhoseAnswerWasLostIsAnsweredOnTheNextConnection() async throws {
        let directory = try #require(database.socketDirectory)
        let proxy = try CuttingProxy(serverDirectory: directory)
        defer { proxy.stop() }
        var configuration = database.configuration
        configuration.conninfo = proxy.conninfo(for: database.conninfo)
        configuration.storeConnections = 1
        let cut = PostgresStore(configuration: configuration, logger: quiet)
        try cut.start()
        let id = try await makePairing()
        #expect(try await cut.devices() == [])
        proxy.arm(for: "SELECT 1")
        let paired = try await cut.pairDevice(
            secretSHA256: digest(1),
            name: "phone",
            platform: nil,
            refreshToken: secret(100, livesFor: 3600),
            now: now
        )
        #expect(proxy.cuts == 1)
        #expect(try await store.pairing(id: id)?.device?.id == paired?.device)
        #expect(paired?.rights == DeviceRights(name: "phone", owner: nil, grants: Grants([.read])))
        #expect(try await store.devices().count == 1)
        cut.stop()
        store.stop()
    }

    @Test func aStartOfTheServerEndsTheLinksOfEarlierStarts() async throws {
        for (code, token, isFirst): (UInt8, UInt8, Bool) in [(1, 2, true), (3, 4, false)] {
            _ = try await store.createPairing(
                codeSHA256: digest(code),
                token: secret(token),
                isFirst: isFirst,
                now: now
            )
        }
        try await store.voidFirstPairings(now: now)
        #expect(try await pair(2) == nil)
        #expect(try await pair(4) != nil)
        store.stop()
    }

    @Test func anExpiredPairingIsGoodForNothing() async throws {
        _ = try await makePairing()
        for byte: UInt8 in 1...2 { #expect(try await pair(byte, after: 300) == nil) }
        let late = now.adding(seconds: 300)
        #expect(try await store.turnInCode(codeSHA256: digest(1), tokenSHA256: digest(3), now: late) == nil)
        #expect(try await store.devices() == [])
        store.stop()
    }

    @Test func aCodeTurnedInIsUsedUpAndTheFirstTokenToo() async throws {
        let id = try await makePairing()
        let pairing = try await store.turnInCode(codeSHA256: digest(1), tokenSHA256: digest(3), now: now)
        #expect(pairing == PairingRecord(id: id, expiresAt: now.adding(seconds: 300), request: .none, device: nil))
        #expect(try await store.turnInCode(codeSHA256: digest(1), tokenSHA256: digest(4), now: now) == nil)
        for byte: UInt8 in 1...2 { #expect(try await pair(byte) == nil) }
        #expect(try await pair(3) != nil)
        store.stop()
    }

    @Test func manyAtOnceWithOneCodeMakeOneDevice() async throws {
        _ = try await makePairing()
        let made = try await withThrowingTaskGroup(of: DeviceID?.self) { [store, now] group in
            for number: UInt8 in 0..<12 {
                let code = digest(number % 2 + 1)
                let token = secret(100 + number)
                group.addTask {
                    try await store.pairDevice(
                        secretSHA256: code,
                        name: "phone",
                        platform: nil,
                        refreshToken: token,
                        now: now
                    )?.device
                }
            }
            return try await group.reduce(into: []) { if let device = $1 { $0.append(device) } }
        }
        #expect(made.count == 1)
        #expect(try await store.devices().count == 1)
        store.stop()
    }

    @Test func onlyOneOfTwoRotatesAFamily() async throws {
        _ = try await makePairing()
        _ = try await pair(1)
        let record = try #require(try await store.refreshToken(sha256: digest(100)))
        #expect(record.generation == 1 && record.familyGeneration == 1 && record.predecessor == 0)
        #expect(!record.isRevoked)
        let later = now.adding(seconds: 9)
        #expect(try await store.addRefreshToken(secret(101), for: record, now: later))
        #expect(try await store.addRefreshToken(secret(102), for: record, now: later) == false)
        let used = try #require(try await store.refreshToken(sha256: digest(100)))
        #expect(used.generation == 1 && used.familyGeneration == 2 && used.predecessor == 1)
        #expect(used.validFrom == 2)
        #expect(used.rotatedAt == later)
        #expect(try await store.refreshToken(sha256: digest(102)) == nil)
        let repeated = now.adding(seconds: 12)
        #expect(try await store.addRefreshToken(secret(103), for: used, now: repeated))
        let last = try #require(try await store.refreshToken(sha256: digest(103)))
        #expect(last.generation == 3 && last.familyGeneration == 3 && last.predecessor == 1)
        #expect(last.validFrom == 2)
        #expect(last.rotatedAt == later)
        #expect(try await store.addRefreshToken(secret(104), for: last, now: repeated))
        #expect(try await store.refreshToken(sha256: digest(104))?.predecessor == 3)
        #expect(try await store.refreshToken(sha256: digest(104))?.validFrom == 4)
        #expect(try await store.refreshToken(sha256: digest(104))?.rotatedAt == repeated)
        #expect(try await store.devices().map(\.lastSeenAt) == [repeated])
        store.stop()
    }

    @Test func aRevokedFamilyTakesItsDeviceOut() async throws {
        _ = try await makePairing()
        _ = try await pair(1)
        let record = try #require(try await store.refreshToken(sha256: digest(100)))
        try await store.revokeFamily(record.familyID, because: "reuse", now: now)
        #expect(try await store.refreshToken(sha256: digest(100))?.isRevoked == true)
        #expect(try await store.addRefreshToken(secret(101), for: record, now: now) == false)
        #expect(try await store.activeDevices().isEmpty)
        #expect(try await store.devices().map(\.state) == [.signedOut])
        store.stop()
    }

    @Test func aRevokedDeviceIsRevokedOnceWithAllItsTokens() async throws {
        _ = try await makePairing()
        let device = try #require(try await pair(1))
        #expect(try await store.revokeDevice(device, now: now) == RemovedPushTokens(tokens: 0))
        #expect(try await store.revokeDevice(device, now: now) == nil)
        #expect(try await store.revokeDevice(DeviceID(rawValue: 99), now: now) == nil)
        #expect(try await store.refreshToken(sha256: digest(100))?.isRevoked == true)
        #expect(try await store.activeDevices().isEmpty)
        #expect(try await store.devices().map(\.state) == [.revoked])
        store.stop()
    }
}
