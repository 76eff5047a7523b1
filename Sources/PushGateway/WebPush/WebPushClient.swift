public import Logging

/// Sends pushes to browsers through any push service, on its own thread. Connections are kept per origin, opened when
/// a push needs one and closed after some time without a push.
///
/// Endpoints come from browsers and are not trusted: only https and allowed ports are accepted, only public addresses
/// are connected to, and redirects are not followed. A service must support HTTP/2; otherwise its pushes end as
/// `unusableService`.
///
/// Limits and retries are those of `APNsClient`.
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

    public func submit(
        _ request: WebPushRequest,
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
