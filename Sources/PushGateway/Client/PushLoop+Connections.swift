internal import Logging
internal import Workers

extension PushLoop {
    /// When another connection is to be opened.
    var nextOpening: Double? {
        guard stopDeadline == nil, connections.count < plan.maxConnections * 4 else { return nil }
        let members = connections.filter { $0.isUsable || $0.isOpening }
        return plan.opening(
            members: members.map { PoolPlan.Member(room: $0.room, isProven: $0.budget.isProven) },
            isOpening: isResolving || members.contains(where: \.isOpening),
            oldestQueuedAt: queue.oldestQueuedAt,
            notBefore: backoff.nextAttempt
        )
    }

    func openIfDue() {
        guard let due = nextOpening, due <= now else { return }
        let (inbox, configuration) = (shared.inbox, configuration)
        do throws(WorkerThreadError) {
            _ = try WorkerThread(name: "push-resolver") {
                inbox.resolved(configuration.resolve(configuration.host, configuration.port))
            }
            isResolving = true
        } catch {
            failed(ConnectionError(.outOfMemory, error.description))
        }
    }

    func resolved(_ addresses: [SocketAddress]) {
        isResolving = false
        guard stopDeadline == nil else { return }
        guard !addresses.isEmpty else {
            return failed(ConnectionError(.notResolved, "\(configuration.host) cannot be resolved"))
        }
        let start = addressRotation % addresses.count
        addressRotation &+= 1
        connections.append(
            APNsConnection(
                configuration: configuration,
                context: shared.context,
                addresses: Array(addresses[start...] + addresses[..<start]),
                now: now
            )
        )
        status.connectionsOpened += 1
    }

    /// Gives waiting pushes to the connections with the fewest under way.
    func dispatch() {
        while let connection = roomiest, let item = queue.next() {
            do {
                let token = try shared.tokens.token(held: connection.token)
                if !connection.submit(item.job, token: token, now: now) { queue.insert(item) }
            } catch {
                shared.logger.error("no provider token", metadata: ["error": "\(error)"])
                finish(item.job, item.job.attempts.ended(.noProviderToken))
            }
        }
        for connection in connections { connection.pump(now: now) }
    }

    var roomiest: APNsConnection? {
        connections.filter { $0.room > 0 }.min { $0.budget.inFlight < $1.budget.inFlight }
    }

    /// More than one connection is kept only while there is work for it.
    func closeSpares(now: Double) {
        let usable = connections.filter(\.isUsable)
        for connection in usable.dropFirst()
        where connection.budget.inFlight == 0
            && connection.health.secondsWithoutPush(now: now) >= configuration.spareIdle
        {
            connection.retire(now: now)
        }
    }

    func failed(_ error: ConnectionError) {
        backoff.failed(now: now, using: &random)
        status.connectionsFailed += 1
        if status.lastFailure != error.description {
            shared.logger.warning("no connection for pushes", metadata: ["error": "\(error)"])
        }
        status.lastFailure = error.description
    }
}
