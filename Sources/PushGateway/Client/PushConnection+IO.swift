/// Maximum encrypted bytes that wait for the system. At this limit no more bytes are produced.
private let outputLimit = 256 * 1024

extension PushConnection {
    /// The descriptor and the readiness that the poller must wait for; `nil` without a socket.
    var interest: (descriptor: Int32, wantsWrite: Bool)? {
        guard let socket else { return nil }
        if case .connecting = phase { return (socket.descriptor, true) }
        return (socket.descriptor, !output.isEmpty)
    }

    /// Tries the next address after a failure, until the last.
    func connectToNextAddress(after error: ConnectionError, now: Double) {
        guard let address = remainingAddresses.popFirst() else { return close(error) }
        do throws(ConnectionError) {
            guard !settings.isPublicOnly || address.isPublic else {
                throw ConnectionError(.forbiddenAddress, "\(origin.host) is at an address that is not public")
            }
            output = []
            tls = try context.connection(to: origin.host)
            socket = try StreamSocket(connectingTo: address)
            phase = .connecting(since: now)
        } catch {
            connectToNextAddress(after: error, now: now)
        }
    }

    /// Reads the available bytes. `pump` sends the responses to them.
    func receive(_ readiness: Readiness, now: Double) {
        do throws(ConnectionError) {
            if case .connecting(let since) = phase {
                guard readiness.isWritable else { return }
                try finishConnecting(since: since)
            }
            if readiness.isReadable { try receive(now: now) }
        } catch {
            fail(error, now: now)
        }
    }

    /// Sends all queued data together: many frames in one TLS record and one write. This can also end streams that
    /// were cancelled.
    func pump(now: Double) {
        do throws(ConnectionError) {
            try flush()
            settle(now: now)
            try closeIfOver()
        } catch {
            fail(error, now: now)
        }
    }

    /// A finished HTTP/2 session no longer answers, so pushes in progress would wait forever. `tick` closes a
    /// draining connection without pushes.
    private func closeIfOver() throws(ConnectionError) {
        guard let session, session.isOver else { return }
        if case .draining = phase, isIdle { return }
        throw ConnectionError(.protocolViolation, "the server violated HTTP/2")
    }

    /// Ends the connection, gracefully as far as the system accepts bytes at once. Reports pushes in progress as
    /// lost.
    func close(_ error: ConnectionError?) {
        if case .closed = phase { return }
        if error == nil {
            session?.goAway()
            try? flush()
            tls?.close()
            try? flush()
        }
        phase = .closed
        session?.abandonStreams()
        settle(isLost: true)
        session = nil
        tls = nil
        socket = nil
        output = []
        becomeUnusable(error)
    }

    private func fail(_ error: ConnectionError, now: Double) {
        if isOpening {
            // A certificate that is not trusted at one address may be trusted at another.
            connectToNextAddress(after: error, now: now)
        } else {
            close(error)
        }
    }

    private func finishConnecting(since: Double) throws(ConnectionError) {
        guard let socket else { return }
        let fault = socket.connectFault()
        guard fault == 0 else { throw ConnectionError(.notConnected, "the server cannot be reached (errno \(fault))") }
        phase = .handshaking(since: since)
        _ = try tls?.handshake()
    }

    private func receive(now: Double) throws(ConnectionError) {
        guard let socket, let tls else { return }
        // A limit prevents one connection from monopolizing the thread.
        for _ in 0..<16 {
            switch socket.receive(into: &received) {
            case .bytes(let count):
                try tls.receive(received.prefix(count))
                if count < received.count { return try process(now: now) }
            case .wouldBlock: return try process(now: now)
            case .end:
                try process(now: now)
                throw ConnectionError(.closedByPeer, "the server closed the connection")
            case .failed(let code):
                try process(now: now)
                throw ConnectionError(.closedByPeer, "the connection broke (errno \(code))")
            }
        }
        try process(now: now)
    }

    private func process(now: Double) throws(ConnectionError) {
        guard let tls else { return }
        if case .handshaking = phase {
            guard try tls.handshake() else { return }
            session = try H2Session(keptFields: service.answerFields)
            phase = .open
            health.opened(now: now)
        }
        guard let session else { return }
        let (bytes, isEnd) = try tls.read()
        do throws(ConnectionError) {
            try session.receive(bytes)
        } catch {
            settle(now: now)
            throw error
        }
        settle(now: now)
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
