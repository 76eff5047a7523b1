/// The connection of one exchange: TLS or plain. Used by one thread, which it blocks.
struct ExchangeConnection {
    private let socket: StreamSocket
    private let tls: TLSConnection?
    private let stop: ExchangeStop
    /// Monotonic seconds.
    var deadline: Double
    private let clock: @Sendable () -> Double
    private var unsent: ArraySlice<UInt8> = []
    private var received = [UInt8](repeating: 0, count: 64 * 1024)

    /// Connects, and completes the handshake of TLS.
    init(
        to address: SocketAddress,
        tls: TLSConnection?,
        stop: ExchangeStop,
        until deadline: Double,
        _ clock: @escaping @Sendable () -> Double
    ) throws(ConnectionError) {
        socket = try StreamSocket(connectingTo: address)
        (self.tls, self.stop, self.deadline, self.clock) = (tls, stop, deadline, clock)
        try wait(wantsWrite: true)
        let fault = socket.connectFault()
        guard fault == 0 else { throw ConnectionError(.notConnected, "not connected (errno \(fault))") }
        guard let tls else { return }
        while try !tls.handshakeStep() { _ = try turn() }
    }

    mutating func send(_ bytes: [UInt8]) throws(ConnectionError) {
        if let tls { try tls.write(bytes) } else { unsent += bytes }
    }

    /// Returns what was received, and whether nothing will follow. Waits until there is something.
    mutating func receive() throws(ConnectionError) -> (bytes: [UInt8], isEnd: Bool) {
        while true {
            if let tls {
                let part = try tls.read()
                if part.isEnd || !part.bytes.isEmpty { return part }
                _ = try turn()
            } else {
                let part = try turn()
                if part.isEnd || !part.bytes.isEmpty { return part }
            }
        }
    }

    /// Sends pending bytes, and receives available ones. Bytes of TLS go to the TLS connection.
    private mutating func turn() throws(ConnectionError) -> (bytes: [UInt8], isEnd: Bool) {
        if let tls { unsent += tls.takeOutput() }
        while !unsent.isEmpty {
            guard let count = socket.send(unsent) else { throw ExchangeConnection.lost }
            unsent = unsent.dropFirst(count)
            if count == 0 { break }
        }
        try wait(wantsWrite: !unsent.isEmpty)
        switch socket.receive(into: &received) {
        case .bytes(let count):
            guard let tls else { return (Array(received.prefix(count)), false) }
            try tls.receive(received.prefix(count))
            return ([], false)
        case .wouldBlock: return ([], false)
        case .end where tls == nil: return ([], true)
        case .end, .failed: throw ExchangeConnection.lost
        }
    }

    private func wait(wantsWrite: Bool) throws(ConnectionError) {
        let interests = [(descriptor: socket.descriptor, wantsWrite: wantsWrite)]
        while true {
            let left = deadline - clock()
            guard left > 0, !stop.isSet else { throw ConnectionError(.timedOut, "no answer in time") }
            let readiness = Poller.wait(stop.wakeUp, interests, timeout: left)
            if readiness.contains(where: { $0.isReadable || $0.isWritable }), !stop.isSet { return }
        }
    }

    private static let lost = ConnectionError(.closedByPeer, "the connection was lost")
}
