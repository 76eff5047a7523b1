internal import DequeModule
internal import HTTPClient
internal import Logging
internal import Synchronization

extension PushLoop {
    /// Applying an event may end or requeue pushes and cause events of other connections.
    func applyEvents() {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for pool in pools.values {
                for connection in pool.connections {
                    while let event = connection.nextEvent() {
                        isSettled = false
                        apply(event, of: connection, in: pool)
                    }
                }
            }
        }
        for pool in pools.values where pool.connections.contains(where: { $0.isClosed }) {
            pool.connections.removeAll { $0.isClosed }
            pool.usedAt = now
        }
    }

    private func apply(_ event: Connection.Event, of connection: Connection, in pool: Pool) {
        switch event {
        case .answered(let job, let answer, let credential): answered(job, answer, credential, by: connection, in: pool)
        case .refused(var job):
            let verdict = job.attempts.refused(limit: settings.refusalLimit)
            follow(verdict, job, in: pool)
        case .lost(var job, let cause):
            // An expired push is not repeated.
            let verdict = cause == .deadline ? .finish(.unknown(cause)) : job.attempts.lost(cause)
            follow(verdict, job, in: pool)
        case .pinged: status.pings += 1
        case .goneAway(let code, let debugText):
            status.goAways += 1
            shared.logger.info("push connection ends", metadata: ["code": "\(code)", "debug": "\(debugText)"])
        case .unusable(let error):
            if connection.budget.isProven {
                if let error { shared.logger.info("push connection over", metadata: ["reason": "\(error)"]) }
            } else if stopDeadline == nil {
                failed(error ?? ConnectionError(.closedByPeer, "no push was answered on the connection"), pool)
            }
        }
    }

    private func answered(
        _ job: Job,
        _ answer: PushAnswer,
        _ credential: Service.Credential,
        by connection: Connection,
        in pool: Pool
    ) {
        let isAboutCredential = StreamBudget.refusesCredential(answer.status)
        if !isAboutCredential {
            pool.connectionAnswered()
            status.lastFailure = nil
        }
        if shared.service.isAccepted(answer) { return finish(job, .accepted(answer)) }
        let reaction = shared.service.reaction(to: answer, of: job.submission.request, with: credential)
        if reaction.connection == .retire {
            let error = ConnectionError(.closedByPeer, "the server answered with status \(answer.status)")
            // A token has the same effect on other connections that use it.
            for member in pool.connections
            where member === connection || isAboutCredential && member.credential == credential {
                member.retire(now: now, error: error)
            }
        }
        var job = job
        let verdict = job.attempts.rejected(answer, reaction)
        follow(verdict, job, in: pool)
    }

    private func follow(
        _ verdict: DeliveryAttempts.Verdict,
        _ job: Job,
        in pool: Pool
    ) {
        switch verdict {
        case .finish(let outcome): finish(job, outcome)
        case .retry:
            if stopDeadline != nil { return finish(job, job.attempts.ended(.stopped)) }
            status.retries += 1
            pool.queue.insert(job)
        }
    }

    /// `deliverOutcomes` calls the completion later.
    func finish(_ job: Job, _ outcome: PushOutcome) {
        switch outcome {
        case .accepted:
            status.accepted += 1
            status.lastAcceptedAt = wall
        case .rejected: status.rejected += 1
        case .unsent: status.unsent += 1
        case .unknown: status.unknown += 1
        }
        ended.append(Ended(submission: job.submission, outcome: outcome))
        endedBytes += job.submission.traits.bytes
    }

    /// When a completion is called, its outcome is already counted and its queue space is free.
    func deliverOutcomes() {
        guard !ended.isEmpty else { return }
        publishStatus()
        shared.inbox.release(bytes: endedBytes)
        endedBytes = 0
        while let push = ended.popFirst() { push.submission.completion(push.outcome) }
    }
}
