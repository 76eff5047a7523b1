internal import EventModel
internal import Logging
internal import Persistence
internal import PushPolicy
internal import Synchronization

/// Sends one device a push that nobody sees, once in each interval, through the outbox and the push service like any
/// other: a way that is broken shows before somebody misses a push.
///
/// Restarts and other servers of the database add none: a canary's key names the interval.
final class PushCanary: Sendable {
    struct Settings: Sendable {
        var device: DeviceID
        /// Apple lets two or three background pushes an hour through to a device.
        static let minutesRange = 30...1440
        var minutes: Int
    }

    static let kind = "canary"
    /// Seconds after which one that was not taken has failed.
    static let lifetimeSeconds = 600.0
    private static let lookSeconds = 15.0
    /// Canaries that are looked back at.
    private static let memory = 50

    private let settings: Settings
    private let database: Database
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    /// Called when one was put into the outbox.
    private let onRaise: @Sendable () -> Void
    /// The newest first.
    private let latest = Mutex<[PushHistory]>([])

    init(
        settings: Settings,
        database: Database,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        onRaise: @escaping @Sendable () -> Void
    ) {
        self.settings = settings
        self.database = database
        self.clock = clock
        self.logger = logger
        self.onRaise = onRaise
    }

    /// As of the last look, some seconds ago.
    func state(now: Timestamp) -> CanaryState { CanaryState(latest.withLock { $0 }, now: now) }

    /// Returns when the task is cancelled.
    func run() async {
        var trouble = Trouble()
        var raised: String?
        while !Task.isCancelled {
            do {
                let now = clock()
                let notice = NewPushNotice(canaryOf: settings, now: now)
                if notice.key != raised { try await raise(notice, now: now) }
                raised = notice.key
                let prefix = NewPushNotice.canaryPrefix(settings.device)
                let found = try await database.pushStore().pushCanaries(latest: PushCanary.memory)
                latest.withLock { $0 = found.filter { $0.noticeKey.hasPrefix(prefix) } }
                trouble.ended()
                try? await Task.sleep(for: .seconds(PushCanary.lookSeconds))
            } catch {
                await trouble.sleep(after: error, "push canary not looked after", logger)
            }
        }
    }

    private func raise(_ notice: NewPushNotice, now: Timestamp) async throws {
        let names = try await database.pushStore().addPushNotice(notice, for: settings.device, now: now)
        if !names.isEmpty { onRaise() }
    }
}

extension NewPushNotice {
    fileprivate static func canaryPrefix(_ device: DeviceID) -> String { "\(PushCanary.kind):\(device.rawValue):" }

    fileprivate init(canaryOf settings: PushCanary.Settings, now: Timestamp) {
        let seconds = Int64(settings.minutes) * 60
        let interval = now.microseconds / (seconds * 1_000_000)
        self.init(
            key: NewPushNotice.canaryPrefix(settings.device) + "\(settings.minutes):\(interval * seconds)",
            kind: PushCanary.kind,
            eventSeq: nil,
            eventID: nil,
            sessionID: nil,
            promptKey: nil,
            collapseID: PushCanary.kind,
            notice: Array("{}".utf8),
            raisedAt: now,
            notBefore: now,
            expiresAt: now.adding(seconds: PushCanary.lifetimeSeconds)
        )
    }
}
