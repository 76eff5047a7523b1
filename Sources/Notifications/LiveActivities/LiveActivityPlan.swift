internal import EventModel

/// One push of a Live Activity.
struct LiveActivityStep: Sendable, Equatable {
    enum Event: String, Sendable {
        /// To the device's push-to-start token; the others go to the activity's own token.
        case start
        case update
        case end
    }

    var event: Event
    var state: ActivityState
    /// Priority 10, which counts against the system's hourly budget.
    var isUrgent: Bool
    var alerts: Bool
    /// From then on the system shows the state as stale.
    var staleAt: Timestamp?
    /// When the system takes an ended activity away.
    var dismissAt: Timestamp?
}

/// When one session's Live Activity on one device is started, changed and ended.
///
/// The system ends an activity after 8 hours, so it is ended and started anew shortly before.
struct LiveActivityPlan: Sendable, Equatable {
    enum Input: Sendable, Equatable {
        case state(ActivityState)
        /// The app reported the activity's own push token.
        case tokenArrived
        /// The service calls the activity's token gone (410).
        case tokenGone
        /// The person allows the system's raised budget.
        case frequentUpdates(Bool)
        /// The time of `nextDue` has come.
        case due
        /// The person does not want it any more.
        case switchedOff
    }

    enum Stage: String, Sendable {
        case none
        /// The start was pushed; the activity's own token has not come yet.
        case starting
        case active
        /// Taken away by the person or the system: not started again before the session's next wait.
        case gone
    }

    static let longestSeconds = 7.75 * 3600
    /// Between two updates within one phase, and of two phases.
    static let updateSeconds = 45.0
    static let phaseSeconds = 5.0
    /// The state is sent again so often; the system calls it stale after three that were missed.
    static let heartbeatSeconds = 600.0
    /// A session that is idle for so long has no activity any more.
    static let idleSeconds = 1800.0
    static let dismissalSeconds = 900.0
    /// Urgent updates per hour.
    static let urgentBudget = PushBudget(perHour: 12, burst: 6)
    static let frequentUrgentBudget = PushBudget(perHour: 60, burst: 20)
    /// A start that no token follows is given up.
    static let startSeconds = 300.0

    var stage = Stage.none
    var startedAt: Timestamp?
    var lastSentAt: Timestamp?
    /// What was sent last.
    var shown: ActivityState?
    /// The newest state, where it has not been sent.
    var waiting: ActivityState?
    var budget = DeliveryBudget()
    var allowsFrequent = false
}
