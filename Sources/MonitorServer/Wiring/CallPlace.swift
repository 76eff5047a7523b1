internal import EventModel
internal import Sessions

/// The session of a call that a person is asked about.
struct CallPlace: Sendable, Equatable {
    var session: String
    var agentID: String?
    /// The current time on the machine's clock.
    var time: Timestamp?
    /// Whether the session is only of this call.
    var isAlone = false

    init(session: String) { self.session = session }

    init(alone session: String) { (self.session, isAlone) = (session, true) }

    /// - Parameter start: the event with which the machine's hook reported the start of the call.
    init(session: String, start: MonitorEvent, now: Timestamp) {
        (self.session, agentID) = (session, start.facts.agentID)
        let passed = max(0, now.microseconds - start.receivedAt.microseconds)
        time = Timestamp(microseconds: start.order.time.microseconds + passed)
    }
}
