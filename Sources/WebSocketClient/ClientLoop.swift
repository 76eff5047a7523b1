/// The life of one connection, on its thread: what is done in each callback of the library.
///
/// Safe because callbacks set `connected` and forget it before the library frees the connection.
@safe final class ClientLoop {
    /// The open connection.
    var connected: OpaquePointer?
    let endpoint: WebSocketEndpoint
    private let queue: SendQueue
    private let handler: (WebSocketEvent) -> Void
    private var assembler = MessageAssembler()
    private var liveness: Liveness
    private var isPingDue = false
    private var isOpen = false
    /// How the connection ends, once that is known.
    private var end: WebSocketEnd?
    private let startedAt: Int64

    /// Microseconds until a connection must be open.
    private static let patience: Int64 = 20_000_000

    init(_ endpoint: WebSocketEndpoint, _ queue: SendQueue, _ handler: @escaping (WebSocketEvent) -> Void) {
        (self.endpoint, self.queue, self.handler) = (endpoint, queue, handler)
        startedAt = ClientContext.now
        liveness = Liveness(now: startedAt)
    }

    func run() -> WebSocketEnd {
        var certificates: String?
        if endpoint.isSecure {
            guard let file = endpoint.certificates ?? CertificateBundle.path else { return .noCertificates }
            certificates = file
        }
        guard let context = ClientContext(self, certificates: certificates) else {
            return .failed(reason: certificates.map { "\($0) is no file of certificates" } ?? "no memory")
        }
        queue.attach(context.waker)
        if context.connect(endpoint) {
            while end == nil, context.serve() {}
        }
        queue.attach(nil)
        context.destroy()
        return end ?? .lost
    }

    // MARK: What the library reports. False closes the connection.

    func established(_ wire: ClientWire) -> Bool {
        isOpen = true
        liveness = Liveness(now: ClientContext.now)
        handler(.opened)
        wire.setTimer(microseconds: 1_000_000)
        wire.askWriteable()
        return true
    }

    func received(_ piece: BorrowedPiece, _ wire: ClientWire) -> Bool {
        liveness.heard(now: ClientContext.now)
        switch assembler.take(piece.bytes, isFirst: piece.isFirst, isLast: piece.isLast, isBinary: piece.isBinary) {
        case .incomplete: return true
        case .message(let text):
            handler(.text(text))
            return true
        case .refused(let code, let reason):
            end = end ?? .violated(reason: reason)
            wire.setCloseCode(code)
            return false
        }
    }

    func heardPong() -> Bool {
        liveness.heard(now: ClientContext.now)
        return true
    }

    func writeable(_ wire: ClientWire) -> Bool {
        if isPingDue {
            isPingDue = false
            guard wire.ping() else { return false }
            wire.askWriteable()
            return true
        }
        if let message = queue.next() {
            guard wire.send(message) else { return false }
            wire.askWriteable()
            return true
        }
        guard queue.isClosing else { return true }
        end = end ?? .finished
        wire.setCloseCode(1000)
        return false
    }

    /// Another thread wants something to be done. `wire` is `nil` while there is no connection.
    func woken(_ wire: ClientWire?) {
        guard isOpen, let wire else {
            if queue.isClosing { end = end ?? .finished }
            return
        }
        wire.askWriteable()
    }

    func timerFired(_ wire: ClientWire) -> Bool {
        switch liveness.judge(now: ClientContext.now) {
        case .lost:
            end = end ?? .lost
            return false
        case .ping:
            isPingDue = true
            wire.askWriteable()
            wire.setTimer(microseconds: 1_000_000)
        case .wait(let microseconds): wire.setTimer(microseconds: max(microseconds, 10_000))
        }
        return true
    }

    func closedByPeer(code: Int?, reason: String) {
        end = end ?? .closed(code: code, reason: reason)
    }

    func connectionFailed(status: Int, reason: String) {
        guard end == nil else { return }
        end = status > 0 && status != 101 ? .refused(status: status) : .failed(reason: reason)
    }

    func closed() { end = end ?? .lost }

    /// Called after each turn, for a connection that does not come to be open.
    func checkPatience() {
        guard !isOpen, ClientContext.now - startedAt >= ClientLoop.patience else { return }
        end = end ?? .failed(reason: "no answer within 20 s")
    }
}
