internal import CdevDialect
internal import EventModel
internal import Listener
internal import Logging
internal import Persistence
internal import WSFanout

/// The hub's view of one loop's sockets. Called on the loop's thread.
struct LoopOutput: HubOutput {
    let loop: NetworkLoop
    let context: ServerContext
    let binary: BinaryChannels

    func send(_ bytes: [UInt8], to channel: ChannelID) -> OutputResult {
        let frames = frames(of: bytes, isBinary: binary.contains(channel))
        return OutputResult(loop.assumeIsolated { loop in loop.send(frames, to: channel) })
    }

    func send(_ bytes: [UInt8], toAll channels: [ChannelID]) -> [(subscriber: ChannelID, result: OutputResult)] {
        let (inText, inBinary) = binary.split(channels)
        let text = inText.isEmpty ? bytes : frames(of: bytes, isBinary: false)
        var outcomes = loop.assumeIsolated { loop in loop.send(text, toAll: inText) }
        if !inBinary.isEmpty {
            let frames = frames(of: bytes, isBinary: true)
            outcomes += loop.assumeIsolated { loop in loop.send(frames, toAll: inBinary) }
        }
        return outcomes.map { ($0.channel, OutputResult($0.outcome)) }
    }

    private func frames(of bytes: [UInt8], isBinary: Bool) -> [UInt8] {
        if context.isSeedCompatible { return SeedFrames.of(bytes, isBinary: isBinary) }
        return isBinary ? BinaryFrames.of(bytes) : bytes
    }

    func close(_ channel: ChannelID, _ code: CloseCode) {
        loop.assumeIsolated { loop in loop.close(channel, code: code.number, reason: code.reason) }
    }

    func frame(of notice: PresenceNotice, at time: Timestamp) -> [UInt8] { notice.frame(at: time) }

    func requestPage(_ request: PageRequest) {
        Task(executorPreference: context.executor(of: .server)) { [context] in
            let page = await context.page(request)
            context.loop.post { handler, _ in
                let hub = handler.hub
                switch page {
                case .events(let page) where page.epoch == hub.window.epoch:
                    hub.supply(
                        request.ticket,
                        events: page.events,
                        isComplete: page.isComplete,
                        through: page.through
                    )
                case .events:
                    // The database was replaced. The hub does not know that yet.
                    hub.pageFailed(request.ticket)
                case .gone(let oldest):
                    hub.trimmed(through: oldest - 1)
                    hub.pageFailed(request.ticket)
                case .unreadable: hub.pageFailed(request.ticket)
                }
            }
        }
    }
}

/// Clients that send binary messages and therefore read only binary ones. Loop thread only.
final class BinaryChannels {
    private var channels: Set<ChannelID> = []

    func insert(_ channel: ChannelID) { channels.insert(channel) }
    func remove(_ channel: ChannelID) { channels.remove(channel) }
    func contains(_ channel: ChannelID) -> Bool { !channels.isEmpty && channels.contains(channel) }

    /// Both results keep the order of `all`.
    func split(_ all: [ChannelID]) -> (inText: [ChannelID], inBinary: [ChannelID]) {
        guard !channels.isEmpty else { return (all, []) }
        var (inText, inBinary): ([ChannelID], [ChannelID]) = ([], [])
        for channel in all {
            if channels.contains(channel) { inBinary.append(channel) } else { inText.append(channel) }
        }
        return (inText, inBinary)
    }
}

extension OutputResult {
    fileprivate init(_ outcome: SendOutcome) {
        switch outcome {
        case .sent: self = .sent
        case .waiting(let bytes): self = .waiting(bytes: bytes)
        case .gone: self = .gone
        }
    }
}

/// The store's answer to a subscriber that is behind.
private enum StoredEvents {
    case events(Page)
    /// Retention has dropped some of the events. The log now begins at `oldest`.
    case gone(oldest: Int64)
    case unreadable

    struct Page {
        var epoch: String
        var events: [EncodedEvent]
        var isComplete: Bool
        var through: Int64?
    }
}

extension ServerContext {
    fileprivate func page(_ request: PageRequest) async -> StoredEvents {
        var query = EventQuery(limit: request.maxEvents)
        query.after = request.after
        query.before = request.through + 1
        query.maxBytes = request.maxBytes
        query.sessionID = request.filter.sessionID
        query.workspaceID = request.filter.workspaceID
        query.workspaceIDs = request.filter.workspaceIDs ?? []
        query.types = request.filter.types ?? []
        query.machine = request.filter.machine
        do {
            let store = try database.store()
            let page = try await store.events(query)
            // Read after the events, so that events dropped meanwhile are noticed.
            let bounds = try await store.bounds()
            guard bounds.oldest <= request.after + 1 else { return .gone(oldest: bounds.oldest) }
            let isComplete = page.isComplete && page.events.count < request.maxEvents
            guard request.isForDialect else {
                let encoded = PromptTrackers().encode(page.events, epoch: bounds.epoch).events
                return .events(
                    .init(epoch: bounds.epoch, events: encoded, isComplete: isComplete, through: page.through)
                )
            }
            let whole = try await WholePage.read(page.events, from: store, maxBytes: request.maxBytes)
            return .events(
                .init(
                    epoch: bounds.epoch,
                    events: whole.encoded(epoch: bounds.epoch),
                    isComplete: isComplete && whole.isAll,
                    through: whole.isAll ? page.through : nil
                )
            )
        } catch {
            logger.warning("replay page failed", metadata: [LogKey.error: "\(error)"])
            return .unreadable
        }
    }
}
