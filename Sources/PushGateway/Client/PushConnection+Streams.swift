internal import HTTPClient

extension PushConnection {
    /// Converts HTTP/2 events into outcomes of pushes.
    /// - Parameter isLost: the connection and all its streams are lost.
    func settle(isLost: Bool = false, now: Double = 0) {
        while let event = link.session?.nextEvent() {
            switch event {
            case .settings(let limit): budget.settings(maxConcurrentStreams: limit)
            case .pong: health.ponged(now: now)
            case .goAway(_, let code, let debugText):
                tell(.goneAway(code: code, debugText: debugText))
                retire(now: now, error: ConnectionError(.closedByPeer, "the server is ending the connection"))
            case .closed(let stream, let code, let response, let wasSent):
                ended(stream, code: code, response: response, wasSent: wasSent, isLost: isLost, now: now)
            }
        }
    }

    private func ended(
        _ stream: H2Stream,
        code: UInt32,
        response: H2Response,
        wasSent: Bool,
        isLost: Bool,
        now: Double
    ) {
        guard let flight = flights[stream.slot].take() else { return }
        budget.ended()
        guard let job = flight.job else { return }
        if response.status != 0 {
            answered(job, response, flight.credential, now: now)
        } else if code == H2ErrorCode.refusedStream || !wasSent {
            budget.refused()
            tell(.refused(job))
        } else {
            tell(.lost(job, isLost ? .connectionLost : .streamReset(code: code)))
        }
    }

    func answered(_ job: Job, _ response: H2Response, _ credential: Service.Credential, now: Double) {
        silences = 0
        budget.answered(status: response.status)
        health.answered(now: now)
        countServerFailures(response.status, now: now)
        tell(.answered(job, service.answer(response), credential))
    }

    /// A connection that has failed twice in a row usually continues to fail.
    private func countServerFailures(_ status: Int, now: Double) {
        serverFailures = status == 500 ? serverFailures + 1 : 0
        if serverFailures >= 2 {
            retire(now: now, error: ConnectionError(.closedByPeer, "the server fails repeatedly"))
        }
    }
}
