package import EventModel
internal import Logging
internal import Outbox
internal import Synchronization

/// Sends one device an invisible push in each interval, through the outbox and the push service like any other. A
/// broken path is noticed before a person misses a push.
///
/// Restarts and other servers of the database send no additional ones: a probe's key identifies the interval.
package final class DeliveryProbe: Sendable {
    package struct Settings: Sendable {
        var device: DeviceID
        var minutes: Int
        /// Apple delivers two or three background pushes an hour to a device.
        package static let minutesRange = 30...1440

        package init(device: DeviceID, minutes: Int) {
            self.device = device
            self.minutes = minutes
        }
    }

    /// The name in the database and in answers.
    static let kind = "canary"
    /// Seconds after which a probe that was not accepted has failed.
    static let lifetimeSeconds = 600.0
    private static let lookSeconds = 15.0
    /// Number of recent probes that are examined.
    private static let memory = 50

    private let settings: Settings
    private let environment: PushEnvironment
    /// Called after a probe was added to the outbox.
    private let onRaise: @Sendable () -> Void
    /// Newest first.
    private let latest = Mutex<[PushHistory]>([])

    init(_ settings: Settings, _ environment: PushEnvironment, onRaise: @escaping @Sendable () -> Void) {
        self.settings = settings
        self.environment = environment
        self.onRaise = onRaise
    }

    /// From the last check, some seconds ago.
    func state(now: Timestamp) -> DeliveryProbeState { DeliveryProbeState(latest.withLock { $0 }, now: now) }

    /// Returns when the task is cancelled.
    func run() async {
        var retries = RetryLogger()
        var raised: String?
        while !Task.isCancelled {
            do {
                let now = environment.clock()
                let key = key(at: now)
                if key != raised { try await raise(key, now: now) }
                raised = key
                let found = try await environment.store.deliveryProbes(latest: DeliveryProbe.memory)
                latest.withLock { $0 = found.filter { $0.noticeKey.hasPrefix(keyPrefix) } }
                retries.succeeded()
                try? await Task.sleep(for: .seconds(DeliveryProbe.lookSeconds))
            } catch {
                await retries.sleep(after: error, "push canary not looked after", environment.logger)
            }
        }
    }

    private func raise(_ key: String, now: Timestamp) async throws {
        let names = try await environment.store.addDeliveryProbe(
            key,
            for: settings.device,
            until: now.adding(seconds: DeliveryProbe.lifetimeSeconds),
            now: now
        )
        if !names.isEmpty { onRaise() }
    }

    private var keyPrefix: String { "\(DeliveryProbe.kind):\(settings.device.rawValue):" }

    private func key(at now: Timestamp) -> String {
        let seconds = Int64(settings.minutes) * 60
        let interval = now.microseconds / (seconds * 1_000_000)
        return keyPrefix + "\(settings.minutes):\(interval * seconds)"
    }
}
