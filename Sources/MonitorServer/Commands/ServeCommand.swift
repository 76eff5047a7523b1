internal import API
internal import Access
internal import Audit
internal import Devices
internal import EventIngest
internal import EventModel
internal import Host
internal import Listener
internal import Logging
internal import Notifications
internal import OAuth
internal import Persistence
internal import PrivateCluster
internal import PushGateway
internal import Serving
internal import Settings
internal import Transcripts
internal import WSFanout
internal import Workers

/// Connects the modules, runs them, and stops them in order.
struct ServeCommand {
    /// Seconds that waiting requests and sockets have to finish.
    private static let graceSeconds = 3
    /// Seconds that running reads may wait for a hanging database when the server stops.
    private static let readSeconds = 2
    /// Seconds to wait for the database before the server prints how to continue without it.
    private static let startSeconds = 30.0

    let configuration: Configuration
    let logger: Logger

    func run() async -> ExitStatus {
        let (stopRequests, stop) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
        let signals = ShutdownSignals { stop.yield($0) }
        defer { withExtendedLifetime(signals) {} }
        let source = DatabaseSource(configuration: configuration, logger: logger)
        do {
            _ = FileLimit.set()
            logger.debug("starting", metadata: ["mimalloc": "\(Allocator.version)"])
            let directory = try DataDirectory(path: configuration.dataDirectory)
            let token = try directory.adminToken(configured: configuration.adminToken)
            let deviceKey = try directory.deviceKey()
            let server = try assemble(
                source: source,
                adminToken: token,
                signers: try DeviceSigners(key: deviceKey),
                secretKeys: SecretKeyFile(in: directory),
                identity: ServerIdentity(directory: directory.path, now: SystemClock.now())
            )
            server.services.warnOfOldPrices()
            // Start before new posts are accepted, so that events left by an earlier run come first.
            try await runBlocking { try server.services.context.pipeline.start() }
            let addresses = try server.loop.start()
            warnOfPlaintext(addresses)
            let status = await supervise(server, stopRequests) {
                await server.services.database.waitUntilReady(atMost: ServeCommand.startSeconds)
                logger.info(
                    "started",
                    metadata: [
                        "database": "\(source.description)", "pushes": "\(configuration.push.description)",
                        "directory": "\(configuration.dataDirectory)",
                    ]
                )
                await Banner(configuration, addresses, isAtTerminal: StandardOutput.isTerminal)
                    .write(devices: server.services.devices)
            }
            await takeDown(server, source)
            return status
        } catch {
            StandardError.write("monitor-server: \(error)\n")
            await source.cluster?.stop()
            return .failure
        }
    }

    struct Server {
        var loop: NetworkLoop
        var services: Services
        var supervisor: DatabaseSupervisor
    }

    private func assemble(
        source: DatabaseSource,
        adminToken: String,
        signers: DeviceSigners,
        secretKeys: SecretKeyFile,
        identity: ServerIdentity
    ) throws -> Server {
        let clock: @Sendable () -> Timestamp = { SystemClock.now() }
        let shared = try SharedServices(
            configuration: configuration,
            adminToken: adminToken,
            signers: signers,
            secretKeys: secretKeys,
            logger: logger,
            clock: clock,
            steadyClock: SystemClock.makeSteady()
        )
        let services = Services(
            shared,
            configuration: configuration,
            signers: signers,
            identity: identity,
            pushTransports: try pushTransports(clock: clock),
            taskThreads: try TaskThreads(name: "tasks", count: min(max(2, Processors.count), 8) + 1)
        )
        let context = services.context
        let loop = NetworkLoop(
            configuration: listenerConfiguration(tasks: context.taskThreads.executor(of: .server)),
            logger: logger
        ) { context.handler(of: $0) }
        services.loop.set(loop)
        let supervisor = DatabaseSupervisor(
            source: source,
            services: services,
            secrets: shared.secrets,
            accounts: AccountObserver(changes: shared.accounts.changes),
            publisher: CommitPublisher(context: context)
        )
        return Server(loop: loop, services: services, supervisor: supervisor)
    }

    /// `nil` if pushes are disabled.
    private func pushTransports(clock: @escaping @Sendable () -> Timestamp) throws -> PushClients? {
        guard configuration.push.isOn else { return nil }
        return try PushClients(
            configuration: configuration.push,
            files: PushKeyFiles(in: configuration.dataDirectory),
            clock: PushClock(wall: clock, monotonic: { SystemClock.monotonicSeconds() }),
            logger: logger
        )
    }

    private func listenerConfiguration(tasks: any TaskExecutor) -> ListenerConfiguration {
        var listener = ListenerConfiguration(addresses: configuration.listen)
        listener.taskExecutor = tasks
        if let certificate = configuration.tlsCertificate, let key = configuration.tlsKey {
            listener.tls = ListenerConfiguration.TLSFiles(certificatePath: certificate, keyPath: key)
        }
        if let hosts = configuration.allowedHosts { listener.allowedHosts = hosts }
        listener.allowedOrigins = configuration.allowedOrigins
        listener.trustedProxies = configuration.trustedProxies
        listener.usesProxyProtocol = configuration.usesProxyProtocol
        listener.refusesForwarded = configuration.isSeedCompatible
        listener.peerConnections = configuration.peerConnections
        listener.usesIOUring = configuration.usesIOUring
        // The hub limits slow clients. Beyond its bound it hands over at most one more send.
        listener.maxPendingBytes = 2 * HubLimits().unreadReplyBytes
        return listener
    }

    /// Runs until a stop signal or a permanent database failure.
    private func supervise(
        _ server: Server,
        _ stopRequests: AsyncStream<Int32>,
        started: @escaping @Sendable () async -> Void
    ) async -> ExitStatus {
        await withTaskGroup(of: ExitStatus?.self) { group in
            group.addTask {
                await started()
                return nil
            }
            group.addTask {
                do {
                    try await server.supervisor.run()
                    return nil
                } catch {
                    StandardError.write("monitor-server: \(error)\n")
                    return .failure
                }
            }
            for feature in server.services.features {
                group.addTask {
                    await feature.run()
                    return nil
                }
            }
            group.addTask { [logger] in
                for await signal in stopRequests {
                    logger.info("stopping", metadata: [LogKey.signal: "\(signal)"])
                    limitDatabaseWaits(of: server)
                    return .success
                }
                return nil
            }
            for await case let status? in group {
                group.cancelAll()
                return status
            }
            return .success
        }
    }

    /// Commits and running queries must not delay the stop, and cannot be cancelled as tasks are.
    private func limitDatabaseWaits(of server: Server) {
        if case .ready(let workers) = server.services.database.state { workers.prepareStop() }
        Task {
            try? await Task.sleep(for: .seconds(ServeCommand.readSeconds))
            if case .ready(let workers) = server.services.database.state {
                workers.cancelPending()
            } else {
                // The cluster may be recovering from a crash, which can take minutes.
                await server.supervisor.source.cluster?.stop()
            }
        }
    }

    private func takeDown(_ server: Server, _ source: DatabaseSource) async {
        async let isLoopStopped: Void = server.loop.stop(graceSeconds: ServeCommand.graceSeconds)
        for feature in server.services.features { await feature.stop() }
        await isLoopStopped
        if case .ready(let workers) = server.services.database.state {
            await server.services.devices.audit.writeRest()
            await runBlocking { workers.stop() }
        }
        await runBlocking { server.services.spool?.stop() }
        await source.cluster?.stop()
        logger.info("stopped")
    }

    /// Who is in the network between reads the tokens of clients that connect without TLS.
    private func warnOfPlaintext(_ addresses: [BoundAddress]) {
        guard configuration.trustedProxies.isEmpty else { return }
        for address in addresses where !address.isSecure && !address.address.isLoopback {
            logger.warning(
                "clients of other machines connect without TLS; set MONITOR_TLS_CERT and MONITOR_TLS_KEY",
                metadata: ["address": "\(address.address)"]
            )
        }
    }
}
