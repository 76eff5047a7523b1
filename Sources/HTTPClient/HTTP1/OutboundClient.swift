internal import Synchronization
internal import Workers

/// A client of other servers over HTTP/1.1, with TLS or, where the rules allow it, without. Each request has a
/// connection and a thread of its own. May be used from any task.
package final class OutboundClient: Sendable {
    /// A part of a response.
    package enum Part: Sendable, Equatable {
        case head(ResponseHead)
        /// Not empty.
        case body([UInt8])
    }

    private static let mostRedirects = 3
    private static let mostAddresses = 4
    /// Seconds for one of several addresses to accept a connection.
    private static let leastPatience = 2.0
    /// Requests at once. A further one fails.
    private static let mostExchanges = 512

    private let rules: AddressRules
    private let caFile: String?
    private let clock: @Sendable () -> Double
    /// Reading all certificates of the system takes some milliseconds, so the context is made once.
    private let trust = Mutex<TLSContext?>(nil)
    private let exchanges = Atomic(0)

    /// - Parameters:
    ///   - caFile: PEM certificates to trust instead of the system's.
    ///   - clock: monotonic seconds.
    package init(rules: AddressRules, caFile: String?, clock: @escaping @Sendable () -> Double) {
        (self.rules, self.caFile, self.clock) = (rules, caFile, clock)
    }

    /// Monotonic seconds.
    package var now: Double { clock() }

    /// The whole response. Follows redirects within the origin.
    package func response(
        to request: OutboundRequest,
        within limits: OutboundLimits
    ) async throws(OutboundError) -> OutboundResponse {
        let parts = Mutex<(head: ResponseHead?, body: [UInt8])>((nil, []))
        try await stream(request, within: limits) { part in
            parts.withLock { parts in
                switch part {
                case .head(let head): parts.head = head
                case .body(let bytes): parts.body += bytes
                }
            }
            return true
        }
        return try parts.withLock { parts throws(OutboundError) in
            guard let head = parts.head else { throw .malformed }
            return OutboundResponse(head: head, body: parts.body)
        }
    }

    /// Passes on the response as it comes, and returns after its end. If the task is cancelled, the connection closes.
    ///
    /// - Parameter receive: called on the thread of the exchange. If it returns false, the connection closes, and the
    ///   function returns.
    package func stream(
        _ request: OutboundRequest,
        within limits: OutboundLimits,
        receive: @escaping @Sendable (Part) -> Bool
    ) async throws(OutboundError) {
        guard exchanges.add(1, ordering: .relaxed).newValue <= OutboundClient.mostExchanges else {
            exchanges.subtract(1, ordering: .relaxed)
            throw .busy
        }
        let stop: ExchangeStop
        do throws(ConnectionError) { stop = try ExchangeStop() } catch {
            exchanges.subtract(1, ordering: .relaxed)
            throw .connection(error)
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let work = { @Sendable [self] in
                    let result = outcome(of: request, limits, stop, receive)
                    exchanges.subtract(1, ordering: .relaxed)
                    continuation.resume(returning: result)
                }
                if (try? WorkerThread(name: "outbound-http", work)) == nil {
                    exchanges.subtract(1, ordering: .relaxed)
                    continuation.resume(returning: Result<Void, OutboundError>.failure(.busy))
                }
            }
        } onCancel: {
            stop.set()
        }
        try result.get()
    }

    /// Blocks.
    private func outcome(
        of request: OutboundRequest,
        _ limits: OutboundLimits,
        _ stop: ExchangeStop,
        _ receive: (Part) -> Bool
    ) -> Result<Void, OutboundError> {
        var request = request
        var deadline: Double?
        for _ in 0...OutboundClient.mostRedirects {
            var reading = ExchangeReading(of: request, limit: limits.bytes)
            do throws(ConnectionError) {
                let addresses = try allowed(request.location)
                // The resolver has times of its own.
                let end = deadline ?? clock() + limits.seconds
                deadline = end
                var connection = try connected(to: request.location, addresses, end, stop)
                try connection.send(request.bytes)
                while case .unfinished = reading.state {
                    let (bytes, isEnd) = try connection.receive()
                    reading.take(bytes, isEnd: isEnd, receive)
                }
            } catch {
                return .failure(stop.isSet ? .cancelled : OutboundError(error))
            }
            switch reading.state {
            case .unfinished, .failed(.cancelled): return .failure(.cancelled)
            case .finished: return .success(())
            case .failed(let error): return .failure(error)
            case .redirected(let place):
                guard place.origin == request.location.origin else { return .failure(.redirected) }
                request.location = place
            }
        }
        return .failure(.redirected)
    }

    private func allowed(_ location: HTTPLocation) throws(ConnectionError) -> [SocketAddress] {
        let addresses = SocketAddress.resolve(host: location.host, port: location.port)
        guard !addresses.isEmpty else {
            throw ConnectionError(.notResolved, "\(location.host) cannot be resolved")
        }
        let allowed = addresses.filter { rules.allows($0, secure: location.isSecure) }
        guard !allowed.isEmpty else {
            let reason = location.isSecure ? "is at an address that is not public" : "may not be asked without https"
            throw ConnectionError(.forbiddenAddress, "\(location.host) \(reason)")
        }
        return Array(allowed.prefix(OutboundClient.mostAddresses))
    }

    /// Connects to the first of the addresses that accepts. A silent address leaves time for the next one.
    private func connected(
        to location: HTTPLocation,
        _ addresses: [SocketAddress],
        _ deadline: Double,
        _ stop: ExchangeStop
    ) throws(ConnectionError) -> ExchangeConnection {
        var failure = ConnectionError(.notResolved, "\(location.host) has no address")
        for (index, address) in addresses.enumerated() {
            do throws(ConnectionError) {
                let share = (deadline - clock()) / Double(addresses.count - index)
                let tls = location.isSecure ? try context().connection(to: location.host) : nil
                let patience = min(deadline, clock() + max(share, OutboundClient.leastPatience))
                var connection = try ExchangeConnection(to: address, tls: tls, stop: stop, until: patience, clock)
                connection.deadline = deadline
                return connection
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func context() throws(ConnectionError) -> TLSContext {
        try trust.withLock { trust throws(ConnectionError) in
            if let trust { return trust }
            let made = try TLSContext(caFile: caFile, offersHTTP2: false)
            trust = made
            return made
        }
    }
}

extension OutboundError {
    fileprivate init(_ error: ConnectionError) {
        self = error.code == .timedOut ? .timedOut : .connection(error)
    }
}
