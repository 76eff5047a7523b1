internal import HTTPModel

/// A connection whose PROXY protocol header has not arrived completely.
struct ProxyHandshake {
    let watcher: SocketWatcher
    let proxy: String
    /// The part of the header that has arrived.
    var bytes: [UInt8] = []
    /// Monotonic second.
    let deadline: Int
}

/// Proxies in front of the server.
extension NetworkLoop {
    private static let proxyHeaderBytes = 4096

    /// Returns the client of a request: the one that a trusted proxy names, otherwise the peer itself.
    func peer(of connection: Connection, _ head: RequestHead) -> String {
        guard connection.source.isProxy, let forwarded = head[.forwardedFor] else { return connection.peer }
        return configuration.trustedProxies.client(forwardedFor: forwarded) ?? connection.peer
    }

    func isTrustedProxy(_ peer: String, isLocal: Bool) -> Bool {
        guard !isLocal else { return configuration.trustedProxies.includesUnixSockets }
        return IPAddress(peer).map(configuration.trustedProxies.contains) ?? false
    }

    /// Waits for the header of the PROXY protocol for at most `headerSeconds`.
    func awaitProxyHeader(_ descriptor: Int32, proxy: String, in context: ServiceContext) {
        proxyHandshakes[descriptor] = ProxyHandshake(
            watcher: SocketWatcher(descriptor, loop: context.loop, owner: self),
            proxy: proxy,
            deadline: second + configuration.headerSeconds
        )
    }

    /// Reads the header from the socket, and no byte after it.
    func proxyReadable(_ descriptor: Int32) {
        guard var handshake = proxyHandshakes[descriptor] else { return }
        switch handshake.watcher.peek(Self.proxyHeaderBytes) {
        case .nothing:
            break
        case .ended:
            proxyHandshakes[descriptor] = nil
        case .bytes(let more):
            switch ProxyHeader.read(handshake.bytes + more) {
            case .incomplete:
                _ = handshake.watcher.take(more.count)
                handshake.bytes += more
                proxyHandshakes[descriptor] = handshake
            case .invalid:
                turnAway(handshake.watcher.release(), peer: handshake.proxy, isLocal: false, .badProxyHeader)
                proxyHandshakes[descriptor] = nil
            case .complete(let length, let client):
                _ = handshake.watcher.take(length - handshake.bytes.count)
                proxyHandshakes[descriptor] = nil
                // From here on this is not a proxy: an X-Forwarded-For may be the client's own.
                let source = PeerSource(
                    peer: client?.text ?? handshake.proxy,
                    isLocal: false,
                    isProxy: false,
                    isCounted: client.map { !$0.isLoopback } ?? false
                )
                admit(handshake.watcher.release(), from: source)
            }
        }
    }

    /// Once a second.
    func expireProxyHandshakes(now: Int) {
        guard !proxyHandshakes.isEmpty else { return }
        for (descriptor, handshake) in proxyHandshakes where handshake.deadline < now {
            proxyHandshakes[descriptor] = nil
        }
    }
}
