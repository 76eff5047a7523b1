public import Logging

/// Sends pushes to one environment of Apple's with one provider key, on a thread of its own. Connections are made
/// when a push needs one, kept for as long as they work, and made anew as needed.
///
/// Not more than `queueByteLimit` bytes of pushes are held. A push is tried again here only where that makes no
/// duplicate, or once after it was sent without an answer; all longer waits are the caller's, who finds them in the
/// outcome's reaction.
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

    public func submit(_ request: APNsRequest, completion: @escaping @Sendable (PushOutcome) -> Void) {
        client.submit(request, completion: completion)
    }

    public func stop() { client.stop() }

    public var status: PushStatus { client.status }
    /// Of all pushes that have not ended.
    public var pendingBytes: Int { client.pendingBytes }
}
