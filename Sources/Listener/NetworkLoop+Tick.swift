internal import HTTPModel
internal import Logging

extension NetworkLoop {
    private static let stopStep: Int64 = 20_000
    private static let flushTime: Int64 = 1_000_000

    func timerFired() {
        let now = ServiceContext.now
        if now >= nextTick {
            nextTick = now + 1_000_000
            everySecond()
        }
        if let stopDeadline { stopOn(now: now, deadline: stopDeadline) }
        context?.schedule(after: isStopping ? Self.stopStep : max(1000, nextTick - now))
    }

    /// Ends a turn of the loop at the latest after this time, so that `RequestHandler.turnEnded` is called.
    package func wake(withinMicroseconds limit: Int64) {
        context?.schedule(after: max(0, min(limit, nextTick - ServiceContext.now)))
    }

    private func everySecond() {
        let now = second
        resumeAccepting()
        for action in pings.tick(now: now) {
            switch action {
            case .ping(let channel): ping(channel)
            case .giveUp(let channel): giveUp(channel)
            }
        }
        expireOverdue(now: now)
        expireProxyHandshakes(now: now)
        closeAbandoned()
        handler.tick(on: self)
    }

    func beginStop(graceSeconds: Int) {
        guard stopDeadline == nil, let context else { return }
        stopDeadline = ServiceContext.now + Int64(max(0, graceSeconds)) * 1_000_000
        for listener in listeners.values {
            listener.socket.removeFile()
            listener.lws.closeSoon()
        }
        proxyHandshakes = [:]
        for connection in Array(connections.values) {
            guard let lws = connection.lws else { continue }
            switch connection.mode {
            case .idle, .draining: lws.closeSoon()
            case .channel(let channel): close(channel.id, code: 1001, reason: "server stopping")
            case .waiting(let exchange): endWait(of: exchange, .stopping)
            case .reading, .writing, .flushing, .ending: break
            }
        }
        context.schedule(after: Self.stopStep)
        finishIfEmpty()
    }

    func finishIfEmpty() {
        if isStopping, connections.isEmpty { isFinished = true }
    }

    /// At the deadline of the stop, answers the waiting requests with 503. The loop ends a second later.
    private func stopOn(now: Int64, deadline: Int64) {
        finishIfEmpty()
        guard now >= deadline else { return }
        for connection in Array(connections.values) {
            guard let lws = connection.lws else { continue }
            switch connection.mode {
            case .waiting(let exchange):
                respond(exchange.id, Self.stopping.response(requestID: exchange.request.requestID))
            case .idle, .reading, .draining: lws.closeSoon()
            default: break
            }
        }
        if now >= deadline + Self.flushTime { isFinished = true }
    }
}
