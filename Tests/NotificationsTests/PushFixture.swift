import DatabaseSamples
import EventModel
import Foundation

@testable import Devices
@testable import Notifications
@testable import Persistence

/// A database with a machine and devices, and helpers that fill and empty the outbox.
final class PushFixture {
    static let server = "server-a"

    let database: TestDatabase
    let store: PostgresStore
    let machine: MachineID
    let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private var devicesMade: UInt8 = 0
    private var eventsMade: UInt64 = 0

    init() throws {
        database = try TestDatabase()
        // The cluster's connections are shared with all tests that run at the same time.
        var configuration = database.configuration
        configuration.storeConnections = 1
        store = PostgresStore(configuration: configuration, logger: quiet)
        try store.start()
        machine = try database.makeMachine()
    }

    deinit { store.stop() }

    func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    func makeDevice() async throws -> DeviceID {
        devicesMade += 1
        let base = devicesMade * 4
        _ = try await store.createPairing(
            codeSHA256: digest(base),
            token: NewSecret(sha256: digest(base + 1), expiresAt: now.adding(seconds: 300)),
            now: now
        )
        let device = try await store.pairDevice(
            secretSHA256: digest(base),
            name: "phone",
            platform: "iOS",
            refreshToken: NewSecret(sha256: digest(base + 2), expiresAt: now.adding(seconds: 86_400)),
            now: now
        )
        guard let device else { throw NoDevice() }
        return device.device
    }

    struct NoDevice: Error {}

    func token(_ byte: UInt8, kind: NewPushToken.Kind = .alert) -> NewPushToken {
        var token = NewPushToken(kind: kind, token: String(repeating: "a\(byte)", count: 8), sha256: digest(byte))
        token.environment = kind == .webPush ? nil : .production
        if kind == .activityUpdate { token.sessionID = "session-1" }
        return token
    }

    @discardableResult
    func register(_ byte: UInt8, of device: DeviceID, after seconds: Double = 0) async throws -> PushTokenRecord {
        let record = try await store.registerPushToken(token(byte), of: device, now: now.adding(seconds: seconds))
        guard let record else { throw NoDevice() }
        return record
    }

    /// Commits events through the real writer's transaction, and their sessions; returns them in order.
    @discardableResult
    func commit(_ count: Int, session: String = "session-1", at: Timestamp? = nil) throws -> [MonitorEvent] {
        let connection = try database.connect()
        var committer = BatchCommitter()
        let events = (0..<count).map { _ in
            eventsMade += 1
            return makeEvent(id: eventsMade, machine: machine, session: session, at: at ?? now)
        }
        let plan = try committer.commit(events[...], on: connection)
        let sessions = SessionProjection(logger: quiet)
        try sessions.fold(plan.fresh, on: connection)
        if let cursor = try ProjectionPlace.read(sessions.name, on: connection).cursor {
            _ = try sessions.write(from: cursor, to: plan.lastSeq, on: connection)
        }
        return events
    }

    func notice(
        _ key: String,
        prompt: String? = nil,
        grace: Double = 6,
        lives: Double = 600,
        kind: NotificationKind = .permission
    ) -> Notifications.Notification {
        Notifications.Notification(
            key: key,
            kind: kind,
            promptKey: prompt,
            place: NotificationPlace(sessionID: "session-1"),
            seq: 1,
            eventID: EventID(high: 0x0190_B7C4_0000_7000, low: 1),
            raisedAt: now,
            notBefore: now.adding(seconds: grace),
            expiresAt: now.adding(seconds: lives),
            collapseID: "p:1"
        )
    }

    /// Commits one event and judges it with these actions.
    @discardableResult
    func judge(_ actions: [NotificationAction], after seconds: Double = 0) async throws -> DetectionOutcome {
        try commit(1)
        return try await store.evaluatePushes(now: now.adding(seconds: seconds)) { _ in
            var judgement = DetectionResult()
            judgement.actions = actions
            return judgement
        }
    }

    func claim(
        by server: String = PushFixture.server,
        after seconds: Double,
        lease: Double = 60,
        limit: Int = 100
    ) async throws -> [OutboxEntry] {
        try await store.claimPushes(
            by: server,
            limit: limit,
            leaseSeconds: lease,
            sentWithinSeconds: 3600,
            now: now.adding(seconds: seconds)
        ).pushes
    }

    /// As if a stream could be opened now.
    func admit(
        _ id: Int64,
        by server: String = PushFixture.server,
        isFirst: Bool = true,
        lease: Double = 60,
        preferences: String? = nil
    ) async throws -> DeliveryPermit? {
        try await store.admitPushes(
            [(id, isFirst, preferences)],
            by: server,
            leaseSeconds: lease,
            sentWithinSeconds: 3600,
            now: now
        ).first
    }

    @discardableResult
    func settle(
        _ push: OutboxEntry,
        _ state: PushState,
        by server: String = PushFixture.server,
        due: Double? = nil,
        after seconds: Double = 0
    ) async throws -> PushTally {
        var settlement = Settlement(id: push.id, state: state, code: .sent, reason: "Reason.")
        settlement.dueAt = due.map { now.adding(seconds: $0) }
        settlement.collapseID = "p:1"
        return try await store.settlePushes([settlement], by: server, now: now.adding(seconds: seconds))
    }

    func states() throws -> [String] { try database.texts("SELECT state FROM push_deliveries ORDER BY id") }
}

extension PostgresStore {
    /// Judges the next page of the log, as the projection does.
    func evaluatePushes(
        now: Timestamp,
        pageEvents: Int = 500,
        detect: @escaping @Sendable (DetectionPage) -> DetectionResult
    ) async throws(PersistenceError) -> DetectionOutcome {
        try await pool.run { connection throws(PersistenceError) in
            try DetectionTransaction(connection: connection, now: now, pageEvents: pageEvents).run(detect)
        }
    }
}

extension NotificationAction {
    static func withdraw(
        promptKey: String,
        because reason: WithdrawalReason,
        resolution: Notifications.Notification?
    ) -> NotificationAction {
        .withdraw(
            Withdrawal(
                promptKey: promptKey,
                reason: reason,
                at: Timestamp(microseconds: 1_800_000_000_000_000),
                resolved: resolution
            )
        )
    }
}
