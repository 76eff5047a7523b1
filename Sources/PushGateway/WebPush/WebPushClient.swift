public import Logging

/// Sends pushes to browsers through whatever push services they use, on a thread of its own. Connections are kept per
/// origin, opened when a push needs one and closed when none did for a while.
///
/// Endpoints come from browsers and are not trusted: only https, only allowed ports, and of the addresses that a name
/// resolves to only public ones are connected to; redirects are not followed. A service has to speak HTTP/2: one that
/// does not is told as `unusableService`.
///
/// Bounds and repetitions are those of `APNsClient`.
public final class WebPushClient: PushTransport {
    private let client: PushClient<WebPushService>

    public init(
        configuration: WebPushConfiguration,
        tokens: VAPIDTokens,
        logger: Logger,
        clock: PushClock
    ) throws(PushClientError) {
        var settings = configuration.settings
        settings.isPublicOnly = !configuration.rules.allowsPrivateAddresses
        client = try PushClient(
            service: WebPushService(tokens: tokens),
            settings: settings,
            logger: logger,
            clock: clock
        )
    }

    public func submit(_ request: WebPushRequest, completion: @escaping @Sendable (PushOutcome) -> Void) {
        client.submit(request, completion: completion)
    }

    public func stop() { client.stop() }

    public var status: PushStatus { client.status }
    /// Of all pushes that have not ended.
    public var pendingBytes: Int { client.pendingBytes }
}
