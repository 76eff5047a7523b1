internal import Logging

extension PushLoop {
    /// What a connection tells may end or requeue pushes, and make further connections tell.
    func applyEvents() {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for connection in connections {
                for event in connection.takeEvents() {
                    isSettled = false
                    apply(event, of: connection)
                }
            }
        }
        connections.removeAll(where: \.isClosed)
    }

    private func apply(_ event: APNsConnection.Event, of connection: APNsConnection) {
        switch event {
        case .answered(let job, let answer, let token): answered(job, answer, token, by: connection)
        case .refused(let job): follow(job.attempts.refused(limit: configuration.refusalLimit), job)
        case .lost(let job, let cause):
            // A push whose time is over is not repeated.
            let verdict = cause == .deadline ? .finish(.unknown(cause)) : job.attempts.lost(cause)
            follow(verdict, job)
        case .pinged: status.pings += 1
        case .goneAway(let code, let debugText):
            status.goAways += 1
            shared.logger.info("push connection ends", metadata: ["code": "\(code)", "debug": "\(debugText)"])
        case .unusable(let error):
            if connection.budget.isProven {
                if let error { shared.logger.info("push connection over", metadata: ["reason": "\(error)"]) }
            } else if stopDeadline == nil {
                failed(error ?? ConnectionError(.closedByPeer, "no push was answered on the connection"))
            }
        }
    }

    private func answered(_ job: PushJob, _ answer: APNsAnswer, _ token: ProviderToken, by connection: APNsConnection) {
        if answer.status != 403 {
            backoff.succeeded()
            status.lastFailure = nil
        }
        let reaction = APNsReaction.of(
            status: answer.status,
            reason: answer.reason,
            timestamp: answer.timestamp,
            registeredAt: job.request.registeredAt,
            tokenAge: shared.tokens.age(of: token),
            retryAfter: answer.retryAfterSeconds
        )
        if reaction.connection == .retire {
            let error = ConnectionError(.closedByPeer, "the server answered \(answer.reasonText ?? "with an error")")
            // What one connection's token brings about, the same token will on another.
            let isAboutToken = answer.status == 403
            for member in connections where member === connection || isAboutToken && member.token == token {
                member.retire(now: now, error: error)
            }
        }
        follow(job.attempts.answered(answer, reaction), job)
    }

    private func follow(_ verdict: DeliveryAttempts.Verdict, _ job: PushJob) {
        switch verdict {
        case .finish(let outcome): finish(job, outcome)
        case .retry:
            if stopDeadline != nil { return finish(job, job.attempts.ended(.stopped)) }
            status.retries += 1
            queue.insert(job.queueItem)
        }
    }

    func finish(_ job: PushJob, _ outcome: APNsOutcome) {
        switch outcome {
        case .accepted:
            status.accepted += 1
            status.lastAcceptedAt = shared.clock.wall()
        case .rejected: status.rejected += 1
        case .unsent: status.unsent += 1
        case .unknown: status.unknown += 1
        }
        publishStatus()
        shared.inbox.release(bytes: job.submission.bytes)
        job.submission.completion(outcome)
    }
}
