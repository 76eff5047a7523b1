internal import DequeModule

/// One connection to a push service: addresses tried in turn, TCP, TLS, HTTP/2, and the pushes under way on it. Belongs
/// to the push thread; it never blocks, and tells what happened as events.
final class PushConnection<Service: PushService> {
    typealias Job = PushJob<Service>

    enum Event {
        case answered(Job, PushAnswer, Service.Credential)
        /// Certainly not processed.
        case refused(Job)
        case lost(Job, LossCause)
        case pinged
        case goneAway(code: UInt32, debugText: String)
        /// It takes no more pushes. Comes once. `error`: `nil` when this side decided so.
        case unusable(ConnectionError?)
    }

    enum Phase {
        case connecting(since: Double)
        case handshaking(since: Double)
        case open
        /// Takes no more pushes; closes when those under way have ended, or at this time.
        case draining(until: Double)
        case closed
    }

    struct Flight {
        let stream: H2Stream
        /// `nil` once it was given up.
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
    /// Encrypted, not yet taken by the system. More is produced only while it is below `outputLimit`.
    var output: ArraySlice<UInt8> = []
    /// Memory that is used again and again: frames that are not encrypted yet, and what the socket gave.
    var plain: [UInt8] = []
    var received = [UInt8](repeating: 0, count: 16 * 1024)
    /// By the slots of their streams.
    var flights: [Flight?] = []
    var budget: StreamBudget
    var health: ConnectionHealth
    /// The one of the last push.
    var credential: Service.Credential?
    private var headers = H2HeaderBlock()
    /// Answers with status 500 without another between them.
    var serverFailures = 0
    /// Pushes without an answer, without an answer to another between them.
    var silences = 0
    var isUnusable = false
    /// No flight's time is over before it; it may be that none is this early.
    private var earliestTimeout = Double.infinity
    private var events: Deque<Event> = []

    /// - Parameter addresses: at least one.
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
        // Not closed yet, or an address that fails at once would end it without a word.
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

    /// Open, not told to end, and not under suspicion of being dead.
    var isUsable: Bool {
        guard case .open = phase else { return false }
        return !health.isSuspect
    }

    /// Pushes that may be begun now.
    var room: Int { isUsable ? budget.room : 0 }

    /// The oldest that was not taken yet.
    func nextEvent() -> Event? { events.popFirst() }

    func tell(_ event: Event) { events.append(event) }

    /// - Returns: false when the connection takes no more; the push is as it was.
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

    /// Takes no more pushes; what is under way may end within the drain time.
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

    /// When `tick` has something to do.
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
            // The status alone is an answer; only its body has not come in time.
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
