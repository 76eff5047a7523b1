public import Logging

/// Sends pushes to one of Apple's environments with one provider key, on its own thread. Connections are opened when
/// a push needs one, kept as long as they work, and replaced as needed.
///
/// Queues at most `queueByteLimit` bytes of pushes. Retries a push only if that cannot cause a duplicate, or once if
/// it was sent and not answered. Longer waits are the caller's task and are given in the outcome's reaction.
public final class APNsClient: PushTransport {
    private let client: PushClient<APNsService>

    public init(
        configuration: APNsConfiguration,
        tokens: ProviderTokens,
        logger: Logger,
        clock: PushClock
    ) throws(PushClientError) {
        let origin = PushOrigin(host: configuration.host, port: configuration.port)
        client = try PushClient(
            service: APNsService(origin: origin, tokens: tokens),
            settings: configuration.settings,
            logger: logger,
            clock: clock
        )
    }

    public func submit(
        _ request: APNsRequest,
        permission: PushPermission? = nil,
        completion: @escaping @Sendable (PushOutcome) -> Void
    ) {
        client.submit(request, permission: permission, completion: completion)
    }

    public func stop() { client.stop() }

    public var status: PushStatus { client.status }
    /// Bytes of all pushes that have not ended.
    public var pendingBytes: Int { client.pendingBytes }
}
