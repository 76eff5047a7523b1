internal import DequeModule
internal import HTTPClient

/// One connection to a push service and the pushes in progress on it. Belongs to the push thread. Never blocks, and
/// reports results as events.
final class PushConnection<Service: PushService> {
    typealias Job = PushJob<Service>

    enum Event {
        case answered(Job, PushAnswer, Service.Credential)
        /// The service has certainly not processed the push.
        case refused(Job)
        case lost(Job, LossCause)
        case pinged
        case goneAway(code: UInt32, debugText: String)
        /// The connection accepts no more pushes. Sent once. `error` is `nil` if this side made the decision.
        case unusable(ConnectionError?)
    }

    struct Flight {
        let stream: H2Stream
        /// `nil` after the push was given up.
        var job: Job?
        let credential: Service.Credential
        let timeout: Double
    }

    let service: Service
    private let settings: PushSettings
    let link: H2Connection
    /// The connection accepts no more pushes. It closes when the pushes in progress have ended, or at this time.
    private(set) var drainEnd: Double?
    /// Indexed by stream slot.
    var flights: [Flight?] = []
    var budget: StreamBudget
    var health: ConnectionHealth
    /// The credential of the last push.
    var credential: Service.Credential?
    private var headers = H2HeaderBlock()
    /// Consecutive answers with status 500.
    var serverFailures = 0
    /// Consecutive pushes without an answer.
    var silences = 0
    var isUnusable = false
    /// A lower bound for the timeouts of all flights.
    private var earliestTimeout = Double.infinity
    private var events: Deque<Event> = []

    /// - Parameter addresses: must not be empty.
    init(
        service: Service,
        origin: PushOrigin,
        settings: PushSettings,
        context: TLSContext,
        addresses: [SocketAddress],
        now: Double
    ) {
        self.service = service
        self.settings = settings
        let server = H2Server(
            host: origin.host,
            keptFields: service.answerFields,
            isPublicOnly: settings.isPublicOnly,
            connectTimeout: settings.connectTimeout
        )
        link = H2Connection(to: server, at: addresses, context: context, now: now)
        budget = StreamBudget(cap: settings.maxStreams)
        health = ConnectionHealth(
            pingAfterIdle: settings.pingAfterIdle,
            checkAfterIdle: settings.checkAfterIdle,
            pingTimeout: settings.pingTimeout,
            now: now
        )
        closingOnError { () throws(ConnectionError) in try link.connect(now: now) }
    }

    var isClosed: Bool { link.isClosed }

    var isOpening: Bool { link.isOpening && drainEnd == nil }

    /// Open, not retired, and not suspected to be dead.
    var isUsable: Bool { link.isOpen && drainEnd == nil && !health.isSuspect }

    /// Number of pushes that may be started now.
    var room: Int { isUsable ? budget.room : 0 }

    /// Returns the oldest event that has not been taken.
    func nextEvent() -> Event? { events.popFirst() }

    func tell(_ event: Event) { events.append(event) }

    /// - Returns: false if the connection accepts no more pushes. The push is then unchanged.
    func submit(_ job: Job, credential: Service.Credential, now: Double) -> Bool {
        guard isUsable, let session = link.session else { return false }
        headers.removeAll()
        let request = job.submission.request
        service.writeHeaders(of: request, credential: credential, to: &headers)
        guard let stream = session.submit(headers, body: service.body(of: request)) else {
            retire(now: now)
            return false
        }
        self.credential = credential
        let timeout = min(now + settings.answerTimeout, job.deadline)
        earliestTimeout = min(earliestTimeout, timeout)
        while flights.count <= stream.slot { flights.append(nil) }
        flights[stream.slot] = Flight(stream: stream, job: job, credential: credential, timeout: timeout)
        budget.began()
        apply(health.pushSent(now: now), now: now)
        return true
    }

    /// Accepts no more pushes. Pushes in progress have the drain time to end.
    func retire(now: Double, error: ConnectionError? = nil) {
        guard !isClosed, drainEnd == nil else { return }
        drainEnd = link.isOpen ? now + settings.drainTimeout : now
        becomeUnusable(error)
    }

    func becomeUnusable(_ error: ConnectionError?) {
        guard !isUnusable else { return }
        isUnusable = true
        tell(.unusable(error))
    }

    /// When `tick` has work to do.
    var nextTick: Double? {
        if isClosed { return nil }
        if let drainEnd { return isIdle ? 0 : min(drainEnd, earliestTimeout) }
        return link.isOpen ? min(health.nextTick, earliestTimeout) : link.nextTick
    }

    func tick(now: Double) {
        if isClosed { return }
        if let drainEnd {
            giveUpOverdue(now: now)
            if isIdle || now >= drainEnd { close(isIdle ? nil : ConnectionError(.timedOut, "not drained in time")) }
        } else if link.isOpen {
            giveUpOverdue(now: now)
            apply(health.tick(now: now), now: now)
        } else {
            closingOnError { () throws(ConnectionError) in try link.tick(now: now) }
        }
    }

    func apply(_ action: ConnectionHealth.Action, now: Double) {
        switch action {
        case .none: break
        case .ping:
            link.session?.ping(UInt64(now * 1_000_000))
            tell(.pinged)
        case .dead: close(ConnectionError(.timedOut, "no answer to a PING"))
        }
    }

    var isIdle: Bool { flights.allSatisfy { $0?.job == nil } }

    private func giveUpOverdue(now: Double) {
        guard now >= earliestTimeout else { return }
        earliestTimeout = .infinity
        for flight in flights {
            guard let flight, let job = flight.job else { continue }
            guard flight.timeout <= now else {
                earliestTimeout = min(earliestTimeout, flight.timeout)
                continue
            }
            flights[flight.stream.slot]?.job = nil
            link.session?.cancel(flight.stream)
            // A status is an answer, even if the body has not arrived in time.
            if let response = link.session?.response(on: flight.stream), response.status != 0 {
                answered(job, response, flight.credential, now: now)
                continue
            }
            tell(.lost(job, job.deadline <= now ? .deadline : .noAnswer))
            silences += 1
            apply(health.answerMissing(now: now), now: now)
            if silences >= 3 { retire(now: now, error: ConnectionError(.timedOut, "several pushes without an answer")) }
        }
    }
}
