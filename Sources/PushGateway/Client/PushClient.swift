internal import EventModel
internal import HTTPClient
internal import Logging
internal import Synchronization
internal import Workers

/// The push thread and its interface to other threads, common to the clients of all services.
final class PushClient<Service: PushService>: Sendable {
    private let shared: PushShared<Service>
    private let thread: WorkerThread

    init(service: Service, settings: PushSettings, logger: Logger, clock: PushClock) throws(PushClientError) {
        do {
            let shared = try PushShared(service: service, settings: settings, logger: logger, clock: clock)
            self.shared = shared
            thread = try WorkerThread(name: service.name) { PushLoop(shared).run() }
        } catch {
            throw PushClientError(description: "\(error)")
        }
    }

    /// A client that is released without `stop` ends by itself, but nothing waits for it.
    deinit {
        shared.inbox.stop()
    }

    func submit(
        _ request: Service.Request,
        permission: PushPermission?,
        completion: @escaping @Sendable (PushOutcome) -> Void
    ) {
        let traits = shared.service.traits(of: request)
        let submission = PushSubmission<Service>(
            request,
            traits: traits,
            permission: permission,
            completion: completion
        )
        if let cause = shared.inbox.offer(submission) { completion(.unsent(cause)) }
    }

    func stop() {
        shared.inbox.stop()
        thread.join()
    }

    var status: PushStatus { shared.status.withLock { $0 } }
    /// Bytes of all pushes that have not ended.
    var pendingBytes: Int { shared.inbox.pendingBytes }
}

/// The client cannot be started until the configuration or the machine is changed. Safe to print.
public struct PushClientError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
