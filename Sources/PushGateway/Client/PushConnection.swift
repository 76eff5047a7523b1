internal import DequeModule

/// One connection to a push service: it tries the addresses in turn, and handles TCP, TLS, HTTP/2 and the pushes in
/// progress. Belongs to the push thread. Never blocks, and reports results as events.
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

    enum Phase {
        case connecting(since: Double)
        case handshaking(since: Double)
        case open
        /// Accepts no more pushes. Closes when the pushes in progress have ended, or at this time.
        case draining(until: Double)
        case closed
    }

    struct Flight {
        let stream: H2Stream
        /// `nil` after the push was given up.
        var job: Job?
        let credential: Service.Credential
        let timeout: Double
    }

    let service: Service
    let origin: PushOrigin
    let settings: PushSettings
    let context: TLSContext
    var remainingAddresses: ArraySlice<SocketAddress>
    var phase = Phase.closed
    var socket: StreamSocket?
    var tls: TLSConnection?
    var session: H2Session?
    /// Encrypted bytes that the system has not accepted yet. More are produced only while this is below
    /// `outputLimit`.
    var output: ArraySlice<UInt8> = []
    /// Reused buffer for frames that are not encrypted yet and for bytes read from the socket.
    var plain: [UInt8] = []
    var received = [UInt8](repeating: 0, count: 16 * 1024)
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
        self.origin = origin
        self.settings = settings
        self.context = context
        remainingAddresses = addresses[...]
        budget = StreamBudget(cap: settings.maxStreams)
        health = ConnectionHealth(
            pingAfterIdle: settings.pingAfterIdle,
            checkAfterIdle: settings.checkAfterIdle,
            pingTimeout: settings.pingTimeout,
            now: now
        )
        // The connection is not closed yet; otherwise an address that fails immediately would end it without an event.
        phase = .connecting(since: now)
        connectToNextAddress(after: ConnectionError(.notResolved, "\(origin.host) has no address"), now: now)
    }

    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    var isOpening: Bool {
        switch phase {
        case .connecting, .handshaking: true
        case .open, .draining, .closed: false
        }
    }

    /// Open, not retired, and not suspected to be dead.
    var isUsable: Bool {
        guard case .open = phase else { return false }
        return !health.isSuspect
    }

    /// Number of pushes that may be started now.
    var room: Int { isUsable ? budget.room : 0 }

    /// Returns the oldest event that has not been taken.
    func nextEvent() -> Event? { events.popFirst() }

    func tell(_ event: Event) { events.append(event) }

    /// - Returns: false if the connection accepts no more pushes. The push is then unchanged.
    func submit(_ job: Job, credential: Service.Credential, now: Double) -> Bool {
        guard isUsable, let session else { return false }
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
        switch phase {
        case .open: phase = .draining(until: now + settings.drainTimeout)
        case .connecting, .handshaking: phase = .draining(until: now)
        case .draining, .closed: return
        }
        becomeUnusable(error)
    }

    func becomeUnusable(_ error: ConnectionError?) {
        guard !isUnusable else { return }
        isUnusable = true
        tell(.unusable(error))
    }

    /// When `tick` has work to do.
    var nextTick: Double? {
        switch phase {
        case .connecting(let since), .handshaking(let since): since + settings.connectTimeout
        case .open: min(health.nextTick, earliestTimeout)
        case .draining(let until): isIdle ? 0 : min(until, earliestTimeout)
        case .closed: nil
        }
    }

    func tick(now: Double) {
        switch phase {
        case .connecting(let since), .handshaking(let since):
            if now >= since + settings.connectTimeout {
                connectToNextAddress(after: ConnectionError(.timedOut, "no connection in time"), now: now)
            }
        case .open:
            giveUpOverdue(now: now)
            apply(health.tick(now: now), now: now)
        case .draining(let until):
            giveUpOverdue(now: now)
            if isIdle || now >= until { close(isIdle ? nil : ConnectionError(.timedOut, "not drained in time")) }
        case .closed: break
        }
    }

    func apply(_ action: ConnectionHealth.Action, now: Double) {
        switch action {
        case .none: break
        case .ping:
            session?.ping(UInt64(now * 1_000_000))
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
            session?.cancel(flight.stream)
            // A status is an answer, even if the body has not arrived in time.
            if let response = session?.response(on: flight.stream), response.status != 0 {
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
