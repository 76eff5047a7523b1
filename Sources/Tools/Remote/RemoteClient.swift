internal import HTTPClient
internal import JSON
internal import RPC
internal import Synchronization

/// Speaks with one remote server, in the dialect that the server has. May be used from any task.
final class RemoteClient: Sendable {
    typealias Exchange =
        @Sendable (OutboundRequest, OutboundLimits, @escaping @Sendable (OutboundClient.Part) -> Bool)
        async
        throws(OutboundError) -> Void

    /// Where the server is, and what it wants in each request.
    struct Place: Sendable {
        var location: HTTPLocation
        var headers: [(name: String, value: String)]
        /// The version of this program, which the server is told.
        var version: String
        /// `nil` for tests.
        var tokens: RemoteTokens.OfServer?
        /// Monotonic seconds.
        var clock: @Sendable () -> Double
    }

    /// Seconds for each request that is no call, and for a notification.
    static let (seconds, noticeSeconds) = (30.0, 10.0)
    /// The most seconds for all pages of a list.
    private static let listSeconds = 60.0
    /// Bytes of a response: the messages and what surrounds them.
    private static let mostBytes = RemoteAnswer.mostBytes + (1 << 20)

    private struct State {
        var dialect: RemoteDialect?
        var lastID: Int64 = 0
    }

    private let place: Place
    private let exchange: Exchange
    private let state = Mutex(State())

    init(_ place: Place, exchange: @escaping Exchange) {
        (self.place, self.exchange) = (place, exchange)
    }

    /// What the server lists in `listSeconds`. What it lists later is left out.
    func tools() async throws(RemoteFault) -> RemoteListing {
        var (listing, cursor) = (RemoteListing(), nil as String?)
        let end = place.clock() + RemoteClient.listSeconds
        repeat {
            let page = cursor
            let left = min(RemoteClient.seconds, end - place.clock())
            guard left > 0 else {
                listing.isComplete = false
                return listing
            }
            let result = try await result(seconds: left) { .list(id: $0, cursor: page) }
            cursor = try listing.add(page: result)
        } while cursor != nil
        return listing
    }

    /// Calls a tool once. If the task is cancelled, or the time is over, the server is told.
    ///
    /// - Parameter mirrored: arguments that headers repeat.
    func call(
        _ tool: String,
        _ arguments: JSONValue,
        mirrored: [(name: String, value: String)],
        seconds: Double
    ) async throws(RemoteFault) -> JSONValue {
        try await result(seconds: seconds) { id in
            var request = RemoteRequest.call(tool, arguments, id: id)
            request.mirrored = mirrored
            return request
        }
    }

    /// Sends a request. If the server does not know the session any more, or has another dialect than before, it sends
    /// the request once more: it has not been carried out.
    private func result(
        seconds: Double,
        _ make: (Int64) -> RemoteRequest
    ) async throws(RemoteFault) -> JSONValue {
        let (known, isKnown) = try await dialect()
        do throws(RemoteFault) {
            return try await perform(make(nextID), known, seconds).result
        } catch {
            guard isKnown, error.mayBeOtherDialect else { throw error }
        }
        state.withLock { if $0.dialect == known { $0.dialect = nil } }
        return try await perform(make(nextID), try await dialect().dialect, seconds).result
    }

    private var nextID: Int64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// - Returns: `isKnown`: it was found out by an earlier request, so that the server may have changed since.
    private func dialect() async throws(RemoteFault) -> (dialect: RemoteDialect, isKnown: Bool) {
        if let known = state.withLock(\.dialect) { return (known, true) }
        let found = try await negotiated()
        state.withLock { $0.dialect = found }
        return (found, false)
    }

    private func negotiated() async throws(RemoteFault) -> RemoteDialect {
        do throws(RemoteFault) {
            let asked = RemoteDialect.stateless(.july2026)
            let found = try await perform(.discover(id: nextID), asked, RemoteClient.seconds).result
            let supported = found["supportedVersions"]?.array ?? []
            let known = MCPVersion.stateless.first { supported.contains(.string($0.rawValue)) }
            if let known { return .stateless(known) }
        } catch {
            switch error {
            case .unauthorized, .needsScope, .exchange, .unreadable, .tooManyValues: throw error
            case .status, .failed, .malformed, .noAnswer, .needsInput: break
            }
        }
        let begun = try await perform(
            .initialize(id: nextID, version: place.version),
            nil,
            RemoteClient.seconds
        )
        guard let version = begun.result["protocolVersion"]?.string, version.utf8.count == 10,
            version.utf8.allSatisfy({ (0x2D...0x39).contains($0) })
        else { throw .malformed("the server names no revision of the protocol") }
        let dialect = RemoteDialect.legacy(version: version, session: begun.session)
        try await notify(RemoteRequest(method: "notifications/initialized"), dialect)
        return dialect
    }

    /// Sends a request with the server's token. If the server refuses the token, it is refreshed, and the request sent
    /// once more: it has not been carried out.
    private func perform(
        _ request: RemoteRequest,
        _ dialect: RemoteDialect?,
        _ seconds: Double
    ) async throws(RemoteFault) -> (result: JSONValue, session: String?) {
        let first = try await place.tokens?.token(at: place.location, after: nil)
        do throws(RemoteFault) {
            return try await perform(request, dialect, seconds, first)
        } catch {
            if case .needsScope(let scope) = error, first != nil { await place.tokens?.widen(scope) }
            guard case .unauthorized = error, let first, let tokens = place.tokens else { throw error }
            let second = try await tokens.token(at: place.location, after: first)
            do throws(RemoteFault) {
                return try await perform(request, dialect, seconds, second)
            } catch {
                if case .unauthorized = error, let second { await tokens.reject(second) }
                throw error
            }
        }
    }

    private func perform(
        _ request: RemoteRequest,
        _ dialect: RemoteDialect?,
        _ seconds: Double,
        _ token: RemoteTokens.Token?
    ) async throws(RemoteFault) -> (result: JSONValue, session: String?) {
        let id = request.id ?? 0
        let collected = Mutex<(answer: RemoteAnswer, result: Result<JSONValue, RemoteFault>?)>(
            (RemoteAnswer(id: id), nil)
        )
        var outbound = request.outbound(to: place.location, dialect, headers: place.headers, version: place.version)
        if let token { outbound.set("Authorization", "Bearer \(token.text)") }
        let sent = outbound
        do throws(OutboundError) {
            let limits = OutboundLimits(seconds: seconds, bytes: RemoteClient.mostBytes)
            try await exchange(sent, limits) { part in
                collected.withLock { collected in
                    guard case .done(let result) = collected.answer.take(part) else { return true }
                    collected.result = result
                    return false
                }
            }
        } catch {
            if [.timedOut, .cancelled].contains(error) { cancel(id, dialect) }
            throw .exchange(error)
        }
        let (result, session) = collected.withLock { ($0.result ?? $0.answer.end(), $0.answer.session) }
        return (try result.get(), session)
    }

    /// The stateless revision needs no notice: the connection has closed.
    private func cancel(_ id: Int64, _ dialect: RemoteDialect?) {
        guard let dialect, !dialect.isStateless else { return }
        Task { try? await notify(.cancelled(id), dialect) }
    }

    private func notify(_ notice: RemoteRequest, _ dialect: RemoteDialect) async throws(RemoteFault) {
        var outbound = notice.outbound(to: place.location, dialect, headers: place.headers, version: place.version)
        if let token = try await place.tokens?.token(at: place.location, after: nil) {
            outbound.set("Authorization", "Bearer \(token.text)")
        }
        let sent = outbound
        let status = Mutex(0)
        do throws(OutboundError) {
            let limits = OutboundLimits(seconds: RemoteClient.noticeSeconds, bytes: RemoteClient.mostBytes)
            try await exchange(sent, limits) { part in
                if case .head(let head) = part { status.withLock { $0 = head.status } }
                return false
            }
        } catch {
            throw .exchange(error)
        }
        let found = status.withLock(\.self)
        guard (200..<300).contains(found) else { throw .status(found) }
    }
}
