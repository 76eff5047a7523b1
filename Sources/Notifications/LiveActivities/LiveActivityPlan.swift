internal import EventModel

/// One push of a Live Activity.
struct LiveActivityStep: Sendable, Equatable {
    enum Event: String, Sendable {
        /// Sent to the device's push-to-start token. The other steps go to the activity's own token.
        case start
        case update
        case end
    }

    var event: Event
    var state: ActivityState
    /// Priority 10, which counts against the system's hourly budget.
    var isUrgent: Bool
    var alerts: Bool
    /// From this time the system shows the state as stale.
    var staleAt: Timestamp?
    /// When the system removes an ended activity.
    var dismissAt: Timestamp?
}

/// Decides when the Live Activity of one session on one device is started, updated and ended.
///
/// The system ends an activity after 8 hours, so the plan ends it and starts a new one shortly before.
struct LiveActivityPlan: Sendable, Equatable {
    enum Input: Sendable, Equatable {
        case state(ActivityState)
        /// The app reported the activity's own push token.
        case tokenArrived
        /// The push service has reported the activity's token as gone (410).
        case tokenGone
        /// The person allows the system's higher budget.
        case frequentUpdates(Bool)
        /// The time of `nextDue` has come.
        case due
        /// The person has disabled it.
        case switchedOff
    }

    enum Stage: String, Sendable {
        case none
        /// The start was pushed. The activity's own token has not arrived yet.
        case starting
        case active
        /// Removed by the person or the system. Not started again before the session's next wait.
        case gone
    }

    static let longestSeconds = 7.75 * 3600
    /// Minimum seconds between two updates within one phase or of two phases.
    static let updateSeconds = 45.0
    static let phaseSeconds = 5.0
    /// Seconds after which the state is sent again. The system marks it as stale after three missed heartbeats.
    static let heartbeatSeconds = 600.0
    /// Seconds after which an idle session no longer has an activity.
    static let idleSeconds = 1800.0
    static let dismissalSeconds = 900.0
    /// Urgent updates per hour.
    static let urgentBudget = PushBudget(perHour: 12, burst: 6)
    static let frequentUrgentBudget = PushBudget(perHour: 60, burst: 20)
    /// Seconds after which a start without a token is abandoned.
    static let startSeconds = 300.0

    var stage = Stage.none
    var startedAt: Timestamp?
    var lastSentAt: Timestamp?
    /// The last state that was sent.
    var shown: ActivityState?
    /// The newest state, if it has not been sent.
    var waiting: ActivityState?
    var budget = DeliveryBudget()
    var allowsFrequent = false
}
