internal import EventModel
internal import Listener
internal import Logging
internal import WSFanout

/// The sockets of one loop as its hub sees them. Called on the loop's thread.
struct LoopOutput: HubOutput {
    let loop: NetworkLoop
    let context: ServerContext

    func send(_ bytes: [UInt8], to link: LinkID) -> OutputResult {
        let outcome = loop.assumeIsolated { loop in loop.send(bytes, to: link) }
        switch outcome {
        case .sent: return .sent
        case .waiting(let bytes): return .waiting(bytes: bytes)
        case .gone: return .gone
        }
    }

    func close(_ link: LinkID, _ code: CloseCode) {
        loop.assumeIsolated { loop in loop.close(link, code: code.number, reason: code.reason) }
    }

    func requestPage(_ request: PageRequest) {
        Task { [context, loop] in
            let page = await context.page(request)
            loop.post { loop in
                guard let hub = (loop.handler as? LoopHandler)?.hub else { return }
                if let page {
                    hub.supply(request.ticket, events: page.events, isComplete: page.isComplete)
                } else {
                    hub.pageFailed(request.ticket)
                }
            }
        }
    }
}

extension ServerContext {
    /// Stored events for a subscriber that is behind; `nil` where the store cannot be read now.
    fileprivate func page(_ request: PageRequest) async -> (events: [EncodedEvent], isComplete: Bool)? {
        var query = EventQuery(limit: request.maxEvents)
        query.after = request.after
        query.before = request.through + 1
        query.sessionID = request.filter.sessionID
        query.workspaceID = request.filter.workspaceID
        query.types = request.filter.types ?? []
        do {
            let reader = try database.reader()
            let bounds = try await reader.bounds()
            let events = try await reader.events(query)
            return ServerContext.cut(events, epoch: bounds.epoch, request)
        } catch {
            logger.warning("replay page failed", metadata: [LogKey.error: "\(error)"])
            return nil
        }
    }

    private static func cut(
        _ events: [CommittedEvent],
        epoch: String,
        _ request: PageRequest
    ) -> (events: [EncodedEvent], isComplete: Bool) {
        var encoded: [EncodedEvent] = []
        var bytes = 0
        for event in events {
            bytes += event.event.payload.count
            if bytes > request.maxBytes && !encoded.isEmpty { return (encoded, false) }
            encoded.append(EncodedEvent(event, epoch: epoch))
        }
        return (encoded, events.count < request.maxEvents)
    }
}
