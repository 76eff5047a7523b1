internal import EventModel
package import Logging
package import PushGateway
internal import Synchronization

/// Files that are kept so that their contents need not be created again at every start.
package struct PushKeyFiles: Sendable {
    /// Apple's provider token.
    var providerToken: String
    /// The key for browser push subscriptions.
    var vapidKey: String
    var vapidTokens: String

    package init(in directory: String) {
        providerToken = directory + "/apns.token"
        vapidKey = directory + "/vapid.key"
        vapidTokens = directory + "/vapid.tokens"
    }
}

/// The outgoing push connections: one client for each of Apple's environments in use, and one for browsers. Each is
/// created on first use. Safe from any thread.
package final class PushClients: PushTransports {
    private struct Clients {
        var apns: [NewPushToken.Environment: APNsClient] = [:]
        var webPush: WebPushClient?
        var isStopped = false
    }

    /// Seconds for pushes in progress when the server stops. The whole stop must take less than ten seconds.
    private static let stopSeconds = 2.0

    private let configuration: PushConfiguration
    private let providerTokens: ProviderTokens?
    private let vapidTokens: VAPIDTokens?
    private let clock: PushClock
    private let logger: Logger
    private let clients = Mutex(Clients())

    /// Creates the key for browsers at the first start. Blocks.
    package init(
        configuration: PushConfiguration,
        files: PushKeyFiles,
        clock: PushClock,
        logger: Logger
    ) throws(VAPIDKeyError) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        providerTokens = configuration.apns.map { apns in
            ProviderTokens(
                key: apns.key,
                path: files.providerToken,
                logger: logger,
                clock: clock.wall
            )
        }
        guard let webPush = configuration.webPush else {
            vapidTokens = nil
            return
        }
        vapidTokens = VAPIDTokens(
            key: try VAPIDKey.loadOrCreate(path: files.vapidKey),
            subject: webPush.subject,
            path: files.vapidTokens,
            logger: logger,
            clock: clock.wall
        )
    }

    package var providerTokenAge: Double? { providerTokens?.age }

    package var applicationServerKey: String? { vapidTokens?.key.publicKeyText }
    package var topic: String? { configuration.apns?.topic }
    package var webPushRules: WebPushRules? { configuration.webPush?.rules }

    package func submit(
        _ message: PushRequest.Message,
        permission: PushPermission?,
        completion: @escaping @Sendable (PushOutcome) -> Void
    ) {
        switch message {
        case .apns(let request, let environment):
            guard let client = apnsClient(environment) else { return completion(.unsent(.stopped)) }
            let isOwnTopic = request.bundleID != topic
            client.submit(request, permission: permission) { completion(isOwnTopic ? $0.blamingTopicOnToken : $0) }
        case .webPush(let request):
            guard let client = webPushClient() else { return completion(.unsent(.stopped)) }
            client.submit(request, permission: permission, completion: completion)
        }
    }

    package func stop() {
        let stopped = clients.withLock { clients in
            clients.isStopped = true
            return clients
        }
        for client in stopped.apns.values { client.stop() }
        stopped.webPush?.stop()
    }

    package var statuses: [(channel: String, status: PushStatus)] {
        let current = clients.withLock { $0 }
        return current.apns.sorted { $0.key.rawValue < $1.key.rawValue }.map { ("apns:\($0.key)", $0.value.status) }
            + (current.webPush.map { [("webpush", $0.status)] } ?? [])
    }

    private func apnsClient(_ environment: NewPushToken.Environment) -> APNsClient? {
        guard let apns = configuration.apns, let providerTokens else { return nil }
        return clients.withLock { clients in
            guard !clients.isStopped else { return nil }
            if let client = clients.apns[environment] { return client }
            var settings = APNsConfiguration()
            settings.host =
                apns.host
                ?? (environment == .production ? APNsConfiguration.productionHost : APNsConfiguration.developmentHost)
            settings.port = apns.port
            settings.caFile = apns.caFile
            settings.stopTimeout = PushClients.stopSeconds
            clients.apns[environment] = made { () throws(PushClientError) in
                try APNsClient(configuration: settings, tokens: providerTokens, logger: logger, clock: clock)
            }
            return clients.apns[environment]
        }
    }

    private func webPushClient() -> WebPushClient? {
        guard let webPush = configuration.webPush, let vapidTokens else { return nil }
        return clients.withLock { clients in
            guard !clients.isStopped else { return nil }
            if let client = clients.webPush { return client }
            var settings = WebPushConfiguration()
            settings.rules = webPush.rules
            settings.caFile = webPush.caFile
            settings.stopTimeout = PushClients.stopSeconds
            clients.webPush = made { () throws(PushClientError) in
                try WebPushClient(configuration: settings, tokens: vapidTokens, logger: logger, clock: clock)
            }
            return clients.webPush
        }
    }

    /// Returns `nil` if the client cannot be created now. The next push tries again.
    private func made<Client>(_ make: () throws(PushClientError) -> Client) -> Client? {
        do throws(PushClientError) {
            return try make()
        } catch {
            logger.error("push client not started", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
