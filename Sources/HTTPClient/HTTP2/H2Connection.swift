/// One HTTP/2 connection over TLS: it tries the server's addresses in turn, then passes on requests and events. Never
/// blocks. Used by one thread, which waits for `interest`. After an error the owner must call `close`.
package final class H2Connection {
    enum Phase {
        case connecting(since: Double)
        case handshaking(since: Double)
        case open
        case closed
    }

    private let server: H2Server
    private let context: TLSContext
    private var remainingAddresses: ArraySlice<SocketAddress>
    var phase: Phase
    var socket: StreamSocket?
    var tls: TLSConnection?
    /// Takes requests while the connection is open, and is kept after `close` for its last events.
    package internal(set) var session: H2Session?
    /// Encrypted bytes that the system has not accepted yet. More are produced only while this is below
    /// `outputLimit`.
    var output: ArraySlice<UInt8> = []
    /// Reused buffer for frames that are not encrypted yet and for bytes read from the socket.
    var plain: [UInt8] = []
    var received = [UInt8](repeating: 0, count: 16 * 1024)

    /// The owner calls `connect` next.
    package init(to server: H2Server, at addresses: [SocketAddress], context: TLSContext, now: Double) {
        self.server = server
        self.context = context
        remainingAddresses = addresses[...]
        phase = .connecting(since: now)
    }

    package var isOpening: Bool {
        switch phase {
        case .connecting, .handshaking: true
        case .open, .closed: false
        }
    }

    package var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    package var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// The descriptor and the readiness that the poller must wait for; `nil` without a socket.
    package var interest: (descriptor: Int32, wantsWrite: Bool)? {
        guard let socket else { return nil }
        if case .connecting = phase { return (socket.descriptor, true) }
        return (socket.descriptor, !output.isEmpty)
    }

    /// When `tick` has work to do.
    package var nextTick: Double? {
        switch phase {
        case .connecting(let since), .handshaking(let since): since + server.connectTimeout
        case .open, .closed: nil
        }
    }

    package func connect(now: Double) throws(ConnectionError) {
        try connectToNextAddress(after: ConnectionError(.notResolved, "\(server.host) has no address"), now: now)
    }

    package func tick(now: Double) throws(ConnectionError) {
        guard let nextTick, now >= nextTick else { return }
        try connectToNextAddress(after: ConnectionError(.timedOut, "no connection in time"), now: now)
    }

    /// Tries the remaining addresses; throws the last one's error, or `error` if none is left. A certificate that is
    /// not trusted at one address may be trusted at another.
    func connectToNextAddress(after error: ConnectionError, now: Double) throws(ConnectionError) {
        var error = error
        while let address = remainingAddresses.popFirst() {
            do throws(ConnectionError) {
                guard !server.isPublicOnly || address.isPublic else {
                    throw ConnectionError(.forbiddenAddress, "\(server.host) is at an address that is not public")
                }
                output = []
                tls = try context.connection(to: server.host)
                socket = try StreamSocket(connectingTo: address)
                return phase = .connecting(since: now)
            } catch let failure {
                error = failure
            }
        }
        throw error
    }

    func beginSession() throws(ConnectionError) {
        session = try H2Session(keptFields: server.keptFields)
        phase = .open
    }

    /// Whether the HTTP/2 session is over, for example after a protocol violation. It no longer answers, so the
    /// connection must be closed.
    package var isOver: Bool { isOpen && session?.isOver == true }
}

/// What a connection needs to know of its server.
package struct H2Server: Sendable {
    /// A name or a numeric address; see `TLSContext.connection(to:)`.
    let host: String
    /// Header fields of answers to keep, in lower case. Others are dropped.
    let keptFields: [String]
    /// Whether to connect only to public internet addresses.
    let isPublicOnly: Bool
    /// Seconds for one address, TCP and TLS together.
    let connectTimeout: Double

    package init(host: String, keptFields: [String], isPublicOnly: Bool, connectTimeout: Double) {
        self.host = host
        self.keptFields = keptFields
        self.isPublicOnly = isPublicOnly
        self.connectTimeout = connectTimeout
    }
}
