internal import Logging
internal import Synchronization
internal import Workers

/// Guarded by `NetworkLoop.lifecycle`.
struct LoopLifecycle {
    enum Phase {
        case fresh
        case running
        case ended
    }

    var phase = Phase.fresh
    /// nil if another caller joins the thread.
    var thread: WorkerThread?
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []
}

extension NetworkLoop {
    /// The loop is listening when this returns. Call once.
    public nonisolated func start() throws(ListenerError) -> [BoundAddress] {
        if let fault = configuration.faults.first { throw .badConfiguration(fault) }
        let isFirst = lifecycle.withLock { lifecycle in
            guard lifecycle.phase == .fresh else { return false }
            lifecycle.phase = .running
            return true
        }
        guard isFirst, executor.claim() else { throw .alreadyStarted }
        do throws(ListenerError) {
            let (bound, waker) = try assumeIsolated { loop in loop.tryToListen() }.get()
            executor.hand(to: waker)
            let thread = try startThread()
            lifecycle.withLock { $0.thread = thread }
            return bound
        } catch {
            executor.stopWaking()
            executor.own()
            assumeIsolated { $0.tearDown() }
            executor.serveUntilEmpty()
            endLife()
            throw error
        }
    }

    private nonisolated func startThread() throws(ListenerError) -> WorkerThread {
        do throws(WorkerThreadError) {
            return try WorkerThread(name: "network-loop") { [self] in serveThread() }
        } catch {
            throw .threadFailed(errno: error.errorNumber)
        }
    }

    /// Stops accepting, gives waiting requests `graceSeconds` to be answered (then 503), closes WebSockets with 1001
    /// and ends streams, and returns when the thread has ended.
    public nonisolated func stop(graceSeconds: Int) async {
        post { $0.beginStop(graceSeconds: graceSeconds) }
        await withCheckedContinuation { continuation in
            let isOver = lifecycle.withLock { lifecycle in
                if lifecycle.phase == .fresh { lifecycle.phase = .ended }
                guard lifecycle.phase == .running else { return true }
                lifecycle.waitingForEnd.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
        lifecycle.withLock { lifecycle in
            defer { lifecycle.thread = nil }
            return lifecycle.thread
        }?.join()
    }

    /// The body of the thread.
    private nonisolated func serveThread() {
        executor.own()
        assumeIsolated { $0.serveUntilFinished() }
        executor.stopWaking()
        assumeIsolated { $0.tearDown() }
        executor.serveUntilEmpty()
        endLife()
    }

    private nonisolated func endLife() {
        let waiting = lifecycle.withLock { lifecycle in
            lifecycle.phase = .ended
            defer { lifecycle.waitingForEnd = [] }
            return lifecycle.waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }

    private func tryToListen() -> Result<([BoundAddress], ServiceWaker), ListenerError> {
        do throws(ListenerError) {
            return .success(try listen())
        } catch {
            return .failure(error)
        }
    }

    private func listen() throws(ListenerError) -> ([BoundAddress], ServiceWaker) {
        LibraryLog.send(to: logger)
        let context = try ServiceContext(configuration, loop: self)
        self.context = context
        limitConnections()
        identifiers = RequestIdentifier(seed: UInt64.random(in: 0..<(1 << 40)))
        pings = PingSchedule(interval: configuration.pingSeconds, patience: configuration.pongSeconds, now: second)
        deadlines = TimingWheel(turn: Self.deadlineTurn, now: second)
        let bound = try bind(in: context)
        let hosts = bound.compactMap { if case .tcp(let host, _) = $0.address { host } else { nil } }
        gate = RequestGate(
            names: NameRules(
                allowedHosts: configuration.allowedHosts,
                allowedOrigins: configuration.allowedOrigins,
                boundHosts: hosts
            ),
            subprotocols: configuration.subprotocols,
            usesTLS: configuration.tls != nil,
            refusesForwarded: configuration.refusesForwarded
        )
        installHandler()
        nextTick = ServiceContext.now + 1_000_000
        context.schedule(after: 1_000_000)
        return (bound, context.waker)
    }

    private func limitConnections() {
        let limit = ConnectionLimit.connections(wanted: configuration.maxConnections)
        connectionLimit = limit
        guard limit < configuration.maxConnections else { return }
        logger.notice(
            "connections are bounded by the descriptors that the process may open",
            metadata: ["connections": .stringConvertible(limit)]
        )
    }

    private func bind(in context: ServiceContext) throws(ListenerError) -> [BoundAddress] {
        var bound: [BoundAddress] = []
        for address in configuration.addresses {
            let socket = try ListeningSocket(address)
            let id = newID()
            guard let lws = context.watch(listener: socket.descriptor, id: id) else {
                socket.close()
                throw .contextFailed
            }
            listeners[id] = (socket, lws)
            bound.append(BoundAddress(address: socket.address, isSecure: context.isSecure && !socket.isLocal))
        }
        return bound
    }

    private func openSender() {
        guard configuration.usesIOUring else { return }
        do throws(RingSender.Refused) {
            sender = try RingSender(logger: logger)
        } catch {
            logger.info(
                "io_uring is refused here: each socket is sent to by a system call of its own",
                metadata: ["errno": .stringConvertible(error.errorNumber)]
            )
        }
    }

    private func serveUntilFinished() {
        guard let context else { return }
        openSender()
        while !isFinished {
            context.loop.turn()
            context.servePending()
            handler.turnEnded(on: self)
        }
    }

    private func tearDown() {
        for listener in listeners.values { listener.socket.removeFile() }
        proxyHandshakes = [:]
        context?.destroy()
        context = nil
        sender = PlainSender()
        listeners = [:]
    }
}
