/// Why a document could not be fetched. Safe to print. A later retry may help.
package enum FetchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The connection's error text.
    case connection(String)
    case status(Int)
    /// Not an HTTP/1.1 response, or a truncated one.
    case malformed
    case tooLarge
    case timedOut

    package var description: String {
        switch self {
        case .connection(let detail): detail
        case .status(let code): "the answer's status is \(code)"
        case .malformed: "the answer is not a whole one of HTTP/1.1"
        case .tooLarge: "the answer has more than \(DocumentFetch.maximumBytes) bytes"
        case .timedOut: "no whole answer in time"
        }
    }
}

/// One GET over TLS, on its own connection, for a document that is fetched a few times a day.
package struct DocumentFetch: Sendable {
    package static let maximumBytes = 256 << 10
    private let location: HTTPSLocation
    private let caFile: String?

    /// - Parameter caFile: PEM certificates to trust instead of the system's.
    package init(location: HTTPSLocation, caFile: String?) {
        self.location = location
        self.caFile = caFile
    }

    /// Blocks for at most `timeout` seconds after name resolution. Does not follow redirects.
    /// - Parameter clock: monotonic seconds.
    package func run(timeout: Double, clock: () -> Double) throws(FetchError) -> FetchedDocument {
        let outcome: Result<FetchedDocument, FetchError>
        do throws(ConnectionError) {
            var exchange = try connected(deadline: clock() + timeout, clock)
            outcome = try exchange.converse(location.request, clock)
        } catch {
            throw error.code == .timedOut ? .timedOut : .connection(error.detail)
        }
        return try outcome.get()
    }

    /// Connects to the first of the host's addresses that accepts.
    private func connected(deadline: Double, _ clock: () -> Double) throws(ConnectionError) -> Exchange {
        let context = try TLSContext(caFile: caFile, offersHTTP2: false)
        var failure = ConnectionError(.notResolved, "\(location.host) cannot be resolved")
        for address in SocketAddress.resolve(host: location.host, port: location.port).prefix(4) {
            do throws(ConnectionError) {
                var exchange = Exchange(
                    socket: try StreamSocket(connectingTo: address),
                    tls: try context.connection(to: location.host),
                    wakeUp: try WakeUp(),
                    deadline: deadline
                )
                try exchange.connect(clock)
                return exchange
            } catch {
                failure = error
            }
        }
        throw failure
    }
}

/// The connection of one fetch.
private struct Exchange {
    let socket: StreamSocket
    let tls: TLSConnection
    /// Never signalled, but the poller requires one.
    let wakeUp: WakeUp
    let deadline: Double
    var unsent: ArraySlice<UInt8> = []
    var received = [UInt8](repeating: 0, count: 16 * 1024)

    mutating func connect(_ clock: () -> Double) throws(ConnectionError) {
        try wait(clock, wantsWrite: true)
        let fault = socket.connectFault()
        guard fault == 0 else { throw ConnectionError(.notConnected, "not connected (errno \(fault))") }
        while try !tls.handshakeStep() { try turn(clock) }
    }

    mutating func converse(
        _ request: [UInt8],
        _ clock: () -> Double
    ) throws(ConnectionError) -> Result<FetchedDocument, FetchError> {
        try tls.write(request)
        var answer: [UInt8] = []
        var isEnd = false
        while true {
            let part = try tls.read()
            answer += part.bytes
            isEnd = isEnd || part.isEnd
            guard answer.count <= DocumentFetch.maximumBytes else { return .failure(.tooLarge) }
            do throws(FetchError) {
                if case .complete(let document) = try DocumentAnswer.read(answer, isEnd: isEnd) {
                    return .success(document)
                }
            } catch {
                return .failure(error)
            }
            try turn(clock)
        }
    }

    /// Sends pending bytes and receives available ones.
    private mutating func turn(_ clock: () -> Double) throws(ConnectionError) {
        unsent += tls.takeOutput()
        while !unsent.isEmpty {
            guard let count = socket.send(unsent) else { throw Exchange.lost }
            unsent = unsent.dropFirst(count)
            if count == 0 { break }
        }
        try wait(clock, wantsWrite: !unsent.isEmpty)
        switch socket.receive(into: &received) {
        case .bytes(let count): try tls.receive(received.prefix(count))
        case .wouldBlock: break
        case .end, .failed: throw Exchange.lost
        }
    }

    private func wait(_ clock: () -> Double, wantsWrite: Bool) throws(ConnectionError) {
        let interests = [(descriptor: socket.descriptor, wantsWrite: wantsWrite)]
        while true {
            let left = deadline - clock()
            guard left > 0 else { throw ConnectionError(.timedOut, "no answer in time") }
            let readiness = Poller.wait(wakeUp, interests, timeout: left)
            if readiness.contains(where: { $0.isReadable || $0.isWritable }) { return }
        }
    }

    private static let lost = ConnectionError(.closedByPeer, "the connection was lost")
}
