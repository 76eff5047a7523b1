internal import EventModel
internal import Logging
internal import Persistence
internal import PushGateway
internal import PushPolicy

/// Starts, changes and ends Live Activities. How far each is is stored before a step leaves: a crash may lose a step,
/// which the next one or the heartbeat makes good, and repeats none.
final class ActivityService: Sendable {
    static let leaseSeconds = 45.0
    static let claimLimit = 64
    /// An activity is looked at again after so many seconds at the earliest, unless something came for it.
    static let shortestPause = 1.0

    private let transports: PushTransports
    private let office: PushOffice
    private let counts: PushCounts
    private let identity: ServerIdentity
    private let database: Database
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    /// Called when an answer may have shown that a suspended channel works again.
    private let onAnswer: @Sendable () -> Void
    private let doorbell = Doorbell()

    init(
        transports: PushTransports,
        office: PushOffice,
        counts: PushCounts,
        identity: ServerIdentity,
        database: Database,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        onAnswer: @escaping @Sendable () -> Void
    ) {
        self.onAnswer = onAnswer
        self.transports = transports
        self.office = office
        self.counts = counts
        self.identity = identity
        self.database = database
        self.clock = clock
        self.logger = logger
    }

    /// A session's state, or a token, has come. Any thread.
    func somethingCame() { doorbell.ring() }

    /// Returns when the task is cancelled.
    func run() async {
        var trouble = Trouble()
        while !Task.isCancelled {
            do {
                let hasMore = try await moveDue()
                trouble.ended()
                if !hasMore { await doorbell.wait(atMost: try await sleepSeconds()) }
            } catch {
                await trouble.sleep(after: error, "Live Activities not moved", logger)
            }
        }
    }

    private func sleepSeconds() async throws -> Double {
        guard let due = try await database.pushStore().nextActivityDue() else {
            return PushService.longestSleepSeconds
        }
        return min(max(due.seconds(since: clock()), 0.05), PushService.longestSleepSeconds)
    }

    /// Whether more may be due.
    private func moveDue() async throws -> Bool {
        let claim = try await database.pushStore().claimActivities(
            by: identity.process,
            limit: ActivityService.claimLimit,
            leaseSeconds: ActivityService.leaseSeconds,
            now: clock()
        )
        let layers = PreferenceLayers(claim.layers)
        for activity in claim.activities {
            let preferences = layers.resolved(
                device: activity.device,
                workspaceID: activity.workspaceID,
                sessionID: activity.sessionID
            )
            let now = clock()
            let (plan, steps) = ActivityDesk(preferences: preferences, now: now).move(activity)
            let isOurs = try await database.pushStore().settleActivity(
                activity,
                by: identity.process,
                plan: plan.stored(),
                dueAt: plan.nextDue.map { max($0, now.adding(seconds: ActivityService.shortestPause)) },
                now: now
            )
            guard isOurs else { continue }
            for step in steps { send(step, of: activity, privacy: preferences.privacy, now: now) }
        }
        return claim.activities.count >= ActivityService.claimLimit
    }

    private func send(_ step: LiveActivityStep, of activity: ClaimedActivity, privacy: PrivacyMode, now: Timestamp) {
        let composer = PushComposer(topic: transports.topic, webPushRules: nil)
        guard let token = ActivityDesk.token(for: step, of: activity), let channel = composer.channel(of: token),
            !office.openBreakers(at: now).contains(where: { $0.channel == channel })
        else { return }
        var random = SystemRandomNumberGenerator()
        let message = composer.apns(
            LiveActivityPayload.message(step, privacy: privacy, now: now),
            id: EventID.version7(at: now, using: &random),
            token,
            deadline: now.adding(seconds: PushComposer.submissionSeconds)
        )
        transports.submit(message) { [self] result in
            Task { await note(result, channel, token, activity) }
        }
    }

    private func note(
        _ result: PushResult,
        _ channel: String,
        _ token: PushTokenRecord,
        _ activity: ClaimedActivity
    ) async {
        let now = clock()
        office.noteActivity(result, channel: channel, now: now)
        onAnswer()
        counts.add([result.end: 1])
        guard let state = result.tokenState else { return }
        let verdict = PushTokenVerdict(
            tokenID: token.id,
            registeredAt: token.registeredAt,
            state: state,
            reason: result.reason
        )
        do {
            let reader = try database.pushStore()
            _ = try await reader.settlePushes([], tokens: [verdict], by: "", now: now)
            guard state != .active, token.content.kind == .activityUpdate else { return }
            try await reader.activityTokenGone(device: activity.device, sessionID: activity.sessionID, now: now)
            somethingCame()
        } catch {
            logger.warning("answer to a Live Activity not written", metadata: [LogKey.error: "\(error)"])
        }
    }
}

extension PushResult {
    /// What the answer says of the token; `nil`: nothing.
    fileprivate var tokenState: PushTokenRecord.State? {
        switch self {
        case .accepted: .active
        case .rejected(let refusal):
            switch refusal.token {
            case .confirmed: .active
            case .keep: nil
            case .quarantine: .quarantined
            case .drop: .gone
            }
        case .unsent, .unknown, .malformed: nil
        }
    }

    /// As it is counted.
    fileprivate var end: PushEnd {
        PushEnd(kind: "activity", state: code == .sent ? .sent : .failed, code: code.rawValue)
    }

    fileprivate var reason: String? {
        guard case .rejected(let refusal) = self else { return nil }
        return refusal.reason
    }
}
