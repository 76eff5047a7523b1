public import Logging
internal import Synchronization
internal import Workers

/// Sends pushes to one environment of Apple's with one provider key, on a thread of its own. Connections are made
/// when a push needs one, kept for as long as they work, and made anew as needed.
///
/// Not more than `queueByteLimit` bytes of pushes are held. A push is tried again here only where that makes no
/// duplicate, or once after it was sent without an answer; all longer waits are the caller's, who finds them in the
/// outcome's reaction.
public final class APNsClient: PushTransport {
    private let shared: PushShared
    private let thread: WorkerThread

    public init(
        configuration: APNsConfiguration,
        tokens: ProviderTokens,
        logger: Logger,
        clock: PushClock
    ) throws(APNsClientError) {
        do {
            let shared = try PushShared(configuration: configuration, tokens: tokens, logger: logger, clock: clock)
            self.shared = shared
            thread = try WorkerThread(name: "push") { PushLoop(shared).run() }
        } catch {
            throw APNsClientError(description: "\(error)")
        }
    }

    /// A forgotten client ends by itself, but nobody waits for it.
    deinit {
        shared.inbox.stop()
    }

    public func submit(_ request: APNsRequest, completion: @escaping @Sendable (APNsOutcome) -> Void) {
        let submission = PushInbox.Submission(request: request, completion: completion, bytes: request.queuedBytes)
        if let cause = shared.inbox.offer(submission) { completion(.unsent(cause)) }
    }

    public func stop() {
        shared.inbox.stop()
        thread.join()
    }

    public var status: APNsStatus { shared.status.withLock { $0 } }
    /// Of all pushes that have not ended.
    public var pendingBytes: Int { shared.inbox.pendingBytes }
}

/// The client cannot be started; the configuration or the machine has to change first. Safe to print.
public struct APNsClientError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
