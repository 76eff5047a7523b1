internal import EventModel
internal import Logging
internal import Outbox
internal import PushGateway
internal import Workers

/// Starts, updates and ends Live Activities. The state of each is stored before a step is sent. A crash may lose a
/// step, which the next step or the heartbeat makes up for, but never repeats one.
final class LiveActivityDispatcher: Sendable {
    static let claimLimit = 64
    /// Minimum seconds between two checks of an activity, unless new input arrives.
    static let shortestPause = 1.0

    private let environment: PushEnvironment
    private let inFlight: InFlightPushes
    /// Called when an answer may show that a suspended channel works again.
    private let onAnswer: @Sendable () -> Void
    private let signal = AsyncSignal()

    init(_ environment: PushEnvironment, _ inFlight: InFlightPushes, onAnswer: @escaping @Sendable () -> Void) {
        self.environment = environment
        self.inFlight = inFlight
        self.onAnswer = onAnswer
    }

    private var clock: @Sendable () -> Timestamp { environment.clock }

    /// Notes that a session's state or a token has arrived. Any thread.
    func somethingCame() { signal.notify() }

    /// Returns when the task is cancelled.
    func run() async {
        let loop = OutboxLoop(signal, trouble: "Live Activities not moved", logger: environment.logger, clock: clock)
        await loop.run {
            try await moveDue()
        } nextDue: {
            try await environment.store.nextActivityDue()
        }
    }

    /// Returns whether more activities may be due.
    private func moveDue() async throws -> Bool {
        let claim = try await environment.store.claimActivities(
            by: environment.server,
            limit: LiveActivityDispatcher.claimLimit,
            leaseSeconds: PushDispatcher.leaseSeconds,
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
            let (plan, steps) = LiveActivityUpdater(preferences: preferences, now: now).move(activity)
            let isOurs = try await environment.store.settleActivity(
                activity,
                by: environment.server,
                plan: plan.stored(),
                dueAt: plan.nextDue.map { max($0, now.adding(seconds: LiveActivityDispatcher.shortestPause)) },
                now: now
            )
            guard isOurs else { continue }
            for step in steps { send(step, of: activity, privacy: preferences.privacy, now: now) }
        }
        return claim.activities.count >= LiveActivityDispatcher.claimLimit
    }

    private func send(_ step: LiveActivityStep, of activity: ClaimedActivity, privacy: PrivacyMode, now: Timestamp) {
        let composer = environment.composer
        guard let token = LiveActivityUpdater.token(for: step, of: activity),
            let channel = composer.channel(of: token),
            !inFlight.openBreakers(at: now).contains(where: { $0.channel == channel })
        else { return }
        var random = SystemRandomNumberGenerator()
        let id = EventID.version7(at: now, using: &random)
        guard let message = try? composer.liveActivity(step, id: id, token, privacy: privacy, now: now) else {
            return count(.malformed)
        }
        environment.transports.submit(message, permission: nil) { [self] outcome in
            Task { await note(outcome, channel, token, activity) }
        }
    }

    private func count(_ code: PushCode) {
        let state: PushState = code == .sent ? .sent : .failed
        environment.counts.add([PushEnd(kind: "activity", state: state, code: code.rawValue): 1])
    }

    private func note(
        _ outcome: PushOutcome,
        _ channel: String,
        _ token: PushTokenRecord,
        _ activity: ClaimedActivity
    ) async {
        let now = clock()
        inFlight.noteActivity(outcome, channel: channel, now: now)
        onAnswer()
        count(outcome.code)
        let verdict: TokenVerdict
        switch outcome {
        case .accepted: verdict = TokenVerdict(token, .active, nil)
        case .rejected(let answer, let reaction):
            guard let state = reaction.tokenState else { return }
            verdict = TokenVerdict(token, state, answer.reasonText)
        case .unsent, .unknown: return
        }
        do {
            let store = try environment.store
            try await store.setTokenState(verdict, now: now)
            guard verdict.state != .active, token.content.kind == .activityUpdate else { return }
            try await store.activityTokenGone(device: activity.device, sessionID: activity.sessionID, now: now)
            somethingCame()
        } catch {
            environment.logger.warning("answer to a Live Activity not written", metadata: ["error": "\(error)"])
        }
    }
}
