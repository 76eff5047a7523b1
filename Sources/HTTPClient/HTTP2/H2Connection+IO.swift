/// Maximum encrypted bytes that wait for the system. At this limit no more bytes are produced.
private let outputLimit = 256 * 1024

extension H2Connection {
    /// Reads the available bytes. `flush` sends the responses to them. Events that arrived before an error can still be
    /// taken.
    package func receive(_ readiness: Readiness, now: Double) throws(ConnectionError) {
        try retryingElsewhere(now: now) { () throws(ConnectionError) in
            if case .connecting(let since) = phase {
                guard readiness.isWritable else { return }
                try finishConnecting(since: since)
            }
            if readiness.isReadable { try receive() }
        }
    }

    /// Sends all queued data together: many frames in one TLS record and one write. This can also end streams that
    /// were cancelled.
    package func flush(now: Double) throws(ConnectionError) {
        try retryingElsewhere(now: now, flush)
    }

    /// Ends the connection, and every stream with an event.
    /// - Parameter isGraceful: says goodbye, as far as the system accepts bytes at once.
    package func close(isGraceful: Bool) {
        guard !isClosed else { return }
        if isGraceful {
            session?.goAway()
            try? flush()
            tls?.close()
            try? flush()
        }
        phase = .closed
        session?.abandonStreams()
        tls = nil
        socket = nil
        output = []
    }

    /// A failure before the connection is open leads to the next address.
    private func retryingElsewhere(
        now: Double,
        _ work: () throws(ConnectionError) -> Void
    ) throws(ConnectionError) {
        do throws(ConnectionError) {
            try work()
        } catch {
            guard isOpening else { throw error }
            try connectToNextAddress(after: error, now: now)
        }
    }

    private func finishConnecting(since: Double) throws(ConnectionError) {
        guard let socket else { return }
        let fault = socket.connectFault()
        guard fault == 0 else { throw ConnectionError(.notConnected, "the server cannot be reached (errno \(fault))") }
        phase = .handshaking(since: since)
        _ = try tls?.handshake()
    }

    private func receive() throws(ConnectionError) {
        guard let socket, let tls else { return }
        // A limit prevents one connection from monopolizing the thread.
        for _ in 0..<16 {
            switch socket.receive(into: &received) {
            case .bytes(let count):
                try tls.receive(received.prefix(count))
                if count < received.count { return try process() }
            case .wouldBlock: return try process()
            case .end:
                try process()
                throw ConnectionError(.closedByPeer, "the server closed the connection")
            case .failed(let code):
                try process()
                throw ConnectionError(.closedByPeer, "the connection broke (errno \(code))")
            }
        }
        try process()
    }

    private func process() throws(ConnectionError) {
        guard let tls else { return }
        if case .handshaking = phase {
            guard try tls.handshake() else { return }
            try beginSession()
        }
        guard let session else { return }
        let (bytes, isEnd) = try tls.read()
        try session.receive(bytes)
        if isEnd { throw ConnectionError(.closedByPeer, "the server closed the connection") }
    }

    private func flush() throws(ConnectionError) {
        guard let socket, let tls else { return }
        if case .connecting = phase { return }
        takeEncrypted(from: tls)
        while true {
            while let session, output.count < outputLimit {
                plain.removeAll(keepingCapacity: true)
                try session.write(to: &plain, limit: 64 * 1024)
                if plain.isEmpty { break }
                try tls.write(plain)
                takeEncrypted(from: tls)
            }
            guard !output.isEmpty else { return }
            guard let count = socket.send(output) else {
                throw ConnectionError(.closedByPeer, "the connection broke (errno on sending)")
            }
            if count == 0 { return }
            output.removeFirst(count)
            if output.isEmpty { output = [] }
        }
    }

    private func takeEncrypted(from tls: TLSConnection) {
        let bytes = tls.takeOutput()
        if output.isEmpty { output = bytes[...] } else { output += bytes }
    }
}
