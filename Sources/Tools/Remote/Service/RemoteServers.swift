internal import API
package import EventModel
package import HTTPClient
internal import HTTPModel
package import Logging
package import Persistence
package import Secrets
internal import Synchronization
internal import Workers

/// The remote MCP servers, which the monitor itself calls. May be used from any task.
package final class RemoteServers: Sendable {
    /// Seconds after which tools are listed again, and after a first failure, which double up to the last.
    private static let (usualSeconds, firstSeconds, mostSeconds) = (900.0, 15.0, 3600.0)
    /// Seconds for one listing, in which no other server tries.
    private static let leaseSeconds = 180.0
    private static let mostAtOnce = 4
    private static let pauseSeconds = 5.0

    let database: any StoreAccess
    let secrets: SecretVault
    private let http: OutboundClient
    private let tokens: RemoteTokens
    /// Has all tokens for a server revoked.
    let revokeTokens: @Sendable (_ server: String) async -> Void
    private let version: String
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let due = AsyncSignal()
    private let clients = Mutex(RemoteClients())

    package init(
        database: any StoreAccess,
        secrets: SecretVault,
        http: OutboundClient,
        tokens: RemoteTokens,
        revokeTokens: @escaping @Sendable (_ server: String) async -> Void,
        version: String,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        (self.database, self.secrets, self.http, self.version) = (database, secrets, http, version)
        (self.clock, self.logger, self.tokens, self.revokeTokens) = (clock, logger, tokens, revokeTokens)
    }

    var now: Timestamp { clock() }

    func server(_ id: String) async throws(APIError) -> RemoteServer {
        let found = try await database.use { store throws(PersistenceError) in try await store.remoteServer(id) }
        guard let found else { throw ToolRefusal.unknownServer }
        return found
    }

    /// Has the servers whose time has come listed soon.
    func wake() { due.notify() }

    func forget(_ id: String) { clients.withLock { $0.forget(id) } }

    /// Lists the tools of servers again and again, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let now = clock()
            let ids = try? await database.use { store throws(PersistenceError) in
                try await store.claimRemoteServers(
                    due: now,
                    until: now.adding(seconds: RemoteServers.leaseSeconds),
                    atMost: Int64(RemoteServers.mostAtOnce)
                )
            }
            await withTaskGroup(of: Void.self) { group in
                for id in ids ?? [] { group.addTask { try? await self.list(id) } }
            }
            if ids?.count ?? 0 < RemoteServers.mostAtOnce { await due.wait(atMost: RemoteServers.pauseSeconds) }
        }
    }

    /// Asks a server for its tools, and stores what it says, or that it fails.
    func list(_ id: String) async throws(APIError) {
        let server = try await server(id)
        let result: Result<RemoteListing, RemoteFault>
        do throws(RemoteFault) {
            result = .success(try await client(of: server).tools())
        } catch {
            result = .failure(error)
        }
        let now = clock()
        var (failures, pause, listedAt) = (Int64(0), RemoteServers.usualSeconds, now as Timestamp?)
        if case .failure(let fault) = result {
            failures = server.failures + 1
            var backoff = Backoff(RemoteServers.firstSeconds...RemoteServers.mostSeconds)
            for _ in 0..<min(failures, 12) { pause = backoff.next() }
            listedAt = nil
            logger.debug("a remote MCP server fails", metadata: ["server": "\(id)", "reason": "\(fault.text)"])
        }
        let (next, failed, seen) = (now.adding(seconds: pause), failures, listedAt)
        let report = ServerReport(of: server.report(result))
        try await database.use { store throws(PersistenceError) in
            try await store.keep(report, of: server, listedAt: seen, next: next, failures: failed, at: now)
        }
    }

    /// A person has logged in: the tools are listed at once.
    ///
    /// - Parameter account: the connected account; empty for the login that all share.
    package func connected(_ id: String, account: String) async {
        if account.isEmpty {
            try? await list(id)
        } else if let server = try? await server(id) {
            _ = try? await list(server, for: account)
        }
    }

    /// The client of a server as it is stored now.
    ///
    /// - Parameter account: the connected account whose token alone is sent. The stored headers are the operator's
    ///   credentials, and are not sent then.
    func client(of server: RemoteServer, for account: String? = nil) async throws(RemoteFault) -> RemoteClient {
        let holder = RemoteTokens.Holder(server: server.id, account: account)
        if let known = clients.withLock({ $0.client(holder, server.changedAt) }) { return known }
        guard let location = HTTPLocation(server.url) else { throw .malformed("the server's URL is not valid") }
        var headers: [(name: String, value: String)] = []
        if let sealed = server.headers, account == nil {
            do throws(APIError) {
                headers = RemoteHeaders.opened(try secrets.open(sealed, at: RemoteServer.secret(of: server.id)))
            } catch {
                throw .unreadable(error.message)
            }
        }
        let place = RemoteClient.Place(
            location: location,
            headers: headers,
            version: version,
            tokens: RemoteTokens.OfServer(tokens: tokens, holder: holder),
            clock: { [http] in http.now }
        )
        let made = RemoteClient(place) { [http] request, limits, receive throws(OutboundError) in
            try await http.stream(request, within: limits, receive: receive)
        }
        clients.withLock { $0.add(made, holder, server.changedAt) }
        return made
    }

    /// What the server told the account last; `nil` if that is not known here.
    func listing(of server: RemoteServer, for account: String) -> RemoteClients.Listing? {
        clients.withLock { $0.listing(RemoteTokens.Holder(server: server.id, account: account), server.changedAt) }
    }

    /// Asks a server for the tools that it has for an account. What is new is pinned, and what has changed waits for a
    /// person. Tools that only others may use stay as they are, and so does the state of the server.
    func list(
        _ server: RemoteServer,
        for account: String
    ) async throws(RemoteFault) -> RemoteClients.Listing {
        let listing = try await client(of: server, for: account).tools()
        let holder = RemoteTokens.Holder(server: server.id, account: account)
        var shown = server.report(.success(listing))
        shown.isComplete = false
        let (report, now) = (ServerReport(of: shown), clock())
        do throws(APIError) {
            try await database.use { store throws(PersistenceError) in
                try await store.keepTools(report, at: now)
            }
        } catch {
            throw .unreadable(error.message)
        }
        let told = RemoteClients.Listing(at: now, tools: Set(listing.tools.map(\.name)))
        clients.withLock { $0.listed(told, holder, server.changedAt) }
        return told
    }
}
