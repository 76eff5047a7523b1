public import EventModel

/// Tells from committed events, in the order of the log, what may be pushed and what is over.
///
/// It knows no devices and no preferences but the ones in `JudgeRules`. Whoever evaluates a page of the log gives it
/// the watches of the page's sessions, and stores what has changed in the transaction that stores the actions and the
/// place in the log: evaluating the same page again then gives the same actions with the same keys.
public struct PushJudge: Sendable {
    public private(set) var spending: SpendingWatch
    private let rules: JudgeRules
    private var watches: [String: SessionWatch] = [:]
    private var changed: Set<String> = []

    /// - Parameter watches: those stored for the sessions of the events to come. A session without one starts anew.
    public init(
        rules: JudgeRules = JudgeRules(),
        watches: [SessionWatch] = [],
        spending: SpendingWatch = SpendingWatch()
    ) {
        self.rules = rules
        self.spending = spending
        for watch in watches { self.watches[watch.sessionID] = watch }
    }

    /// The watches that differ from those given, for the store.
    public var changedWatches: [SessionWatch] { changed.sorted().compactMap { watches[$0] } }

    /// The actions are in the order in which they are to be applied.
    public mutating func take(_ event: CommittedEvent) -> [PushAction] {
        guard let sessionID = event.event.sessionID, let hook = HookReading(event) else { return [] }
        var watch = watches[sessionID] ?? SessionWatch(sessionID: sessionID)
        let before = watch
        var actions = watch.take(hook)
        if watch != before {
            watches[sessionID] = watch
            changed.insert(sessionID)
        }
        actions += spending.take(hook, rules: rules)
        return actions
    }
}

/// What the judge is told of preferences: those that hold for all devices.
public struct JudgeRules: Sendable, Equatable {
    /// US dollars of one day.
    public var costThresholds: [Double]
    /// Seconds that the day of the costs begins before UTC's.
    public var utcOffset: Int

    public init(costThresholds: [Double] = [], utcOffset: Int = 0) {
        self.costThresholds = costThresholds
        self.utcOffset = utcOffset
    }
}
