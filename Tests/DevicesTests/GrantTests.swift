import DatabaseSamples
import EventModel
import Testing

@testable import Devices
@testable import Persistence

@Suite struct GrantTests {
    private let database: TestDatabase
    private let store: PostgresStore
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    init() throws {
        database = try TestDatabase()
        store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
    }

    private func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func pair(
        _ byte: UInt8,
        _ capabilities: [Capability],
        on machines: MachineSet = .all
    ) async throws -> (device: DeviceID, rights: DeviceRights) {
        let token = NewSecret(sha256: digest(byte + 1), expiresAt: now.adding(seconds: 300))
        _ = try await store.createPairing(
            codeSHA256: digest(byte),
            token: token,
            capabilities: capabilities,
            machines: machines,
            now: now
        )
        // A code that was turned in for another token grants the same.
        _ = try await store.turnInCode(codeSHA256: digest(byte), tokenSHA256: digest(byte + 2), now: now)
        return try #require(
            try await store.pairDevice(
                secretSHA256: digest(byte + 2),
                name: "phone",
                platform: nil,
                refreshToken: NewSecret(sha256: digest(byte + 3), expiresAt: now.adding(seconds: 3600)),
                now: now
            )
        )
    }

    private func listed(_ device: DeviceID) async throws -> Grants? {
        try await store.devices().first { $0.id == device }?.grants
    }

    @Test func aDeviceGetsWhatItsPairingSays() async throws {
        let some = MachineSet.only([MachineID(rawValue: 3), MachineID(rawValue: 12)])
        for (index, grants) in [
            Grants([.read]), Grants([.read, .respond]), Grants([.read, .respond], on: some),
            Grants([.read, .respond, .administer]), Grants([.read, .respond, .administer], on: some),
        ].enumerated() {
            let machines = grants.machines(of: .respond) ?? .all
            let paired = try await pair(UInt8(index) * 4 + 1, grants.capabilities, on: machines)
            #expect(paired.rights == DeviceRights(name: "phone", owner: nil, grants: grants))
            #expect(try await listed(paired.device) == grants)
            #expect(try await store.activeDevices()[paired.device] == paired.rights)
        }
        store.stop()
    }

    @Test func whatIsGrantedAndWithdrawnStays() async throws {
        let device = try await pair(1, [.read]).device
        let (here, there) = (MachineSet.only([MachineID(rawValue: 3)]), MachineSet.only([MachineID(rawValue: 4)]))
        for (machines, expected) in [(here, "read respond:3"), (there, "read respond:4"), (.all, "read respond")] {
            let changed = try await store.grant(.respond, on: machines, to: device, by: "admin", now: now)
            #expect(changed?.grants.stored == expected)
            #expect(try await listed(device)?.stored == expected)
        }
        _ = try await store.grant(.administer, on: .all, to: device, by: "admin", now: now)
        #expect(try await store.withdraw(.respond, from: device)?.grants == Grants([.read, .administer]))
        #expect(try await store.withdraw(.respond, from: device)?.grants == Grants([.read, .administer]))
        #expect(try await store.activeDevices()[device]?.grants == Grants([.read, .administer]))
        store.stop()
    }

    @Test func aDeviceThatIsRevokedOrUnknownIsGrantedNothing() async throws {
        let device = try await pair(1, [.read]).device
        _ = try await store.revokeDevice(device, now: now)
        for device in [device, DeviceID(rawValue: 99)] {
            #expect(try await store.grant(.respond, on: .all, to: device, by: nil, now: now) == nil)
            #expect(try await store.withdraw(.read, from: device) == nil)
        }
        store.stop()
    }

    @Test func aRefreshChangesNoGrants() async throws {
        let device = try await pair(1, [.read]).device
        let record = try #require(try await store.refreshToken(sha256: digest(4)))
        let next = NewSecret(sha256: digest(5), expiresAt: now.adding(seconds: 3600))
        #expect(try await store.addRefreshToken(next, for: record, now: now))
        #expect(try await listed(device) == Grants([.read]))
        store.stop()
    }

    @Test func devicesFromBeforeKeepReading() async throws {
        let connection = try PQConnection(
            conninfo: database.configuration.conninfo,
            applicationName: "test",
            replyTimeoutMilliseconds: 10_000
        )
        // As they were before the migration, which is run again on them.
        try connection.execute(
            """
            DROP TABLE device_grants;
            ALTER TABLE pairings DROP COLUMN capabilities, DROP COLUMN machines;
            INSERT INTO pairings (code_sha256, token_sha256, created_at, expires_at)
                VALUES (sha256('a'), sha256('b'), now(), now());
            INSERT INTO devices (pairing_id, name, created_at, last_seen_at)
                SELECT id, 'old', now(), now() FROM pairings
            """,
            as: "go back"
        )
        try connection.execute(try Self.migration(), as: "migrate")
        #expect(try await store.devices().map(\.grants) == [Grants([.read])])
        store.stop()
    }

    private static func migration() throws -> String {
        let files = try MigrationDirectory.read(TestDatabase.migrations)
        return String(decoding: try #require(files.first { $0.name == "capabilities" }).sql, as: UTF8.self)
    }
}
