internal import HTTPModel

/// Who is at the other end of a connection.
struct PeerSource {
    /// For limits and logs; empty for a unix socket.
    let peer: String
    /// It came by a unix socket.
    let isLocal: Bool
    /// A trusted proxy, whose `X-Forwarded-For` counts.
    let isProxy: Bool
    /// It counts among its peer's connections.
    let isCounted: Bool
}

/// One accepted connection. Loop thread only.
final class Connection {
    /// What the connection is doing. A channel is a WebSocket or a stream.
    enum Mode {
        /// Between requests, or in the middle of a request's head.
        case idle
        /// A body is on its way.
        case reading(Exchange)
        /// The handler has the request and has yet to answer it.
        case waiting(Exchange)
        /// The answer waits for the client to take it.
        case writing(Exchange)
        /// Refused, or closed: what is still coming is thrown away, so that the client gets to read why.
        case draining
        case channel(Channel)
        /// The last answer waits for the client to take it; then the connection ends.
        case flushing
        /// Nothing more is read or written.
        case ending
    }

    // What each delivery looks at comes first.
    /// That of the mode, to be had without copying it.
    private(set) var channel: Channel?
    /// nil before it is adopted and after it is gone.
    var lws: LWSConnection?
    let id: UInt64
    let source: PeerSource
    var mode = Mode.idle {
        didSet {
            if case .channel(let current) = mode { channel = current } else { channel = nil }
        }
    }
    /// What has come and is no request yet.
    var reader = RequestReader()
    /// A loop over the requests that have come is running: an answer that is given at once does not start another.
    var isReadingRequests = false
    /// The library does not read: see `NetworkLoop.limitReading`.
    var isReadingPaused = false
    /// The head that has begun has a deadline.
    var hasHeadDeadline = false
    /// The library's timer of the TLS handshake is stopped.
    var hasHandshakeEnded = false
    /// Of a WebSocket that is over: finds the client's close frame among what is dropped. nil: there is none to find.
    var closingFrames: FrameReader?
    /// How many unwanted bytes are still taken before the connection is cut off.
    var dropBudget = 0
    /// `LWSConnection.bytesAcknowledged` when progress was last looked at.
    var acknowledged: UInt64 = 0
    /// Set by `NetworkLoop.setDeadline` alone, so that the wheel comes by.
    var deadline = Int.max
    /// Monotonic second in which the wheel of deadlines comes by.
    var nextVisit = Int.max

    var peer: String { source.peer }
    var isLocal: Bool { source.isLocal }

    init(id: UInt64, source: PeerSource) {
        self.id = id
        self.source = source
    }
}

/// A request and its answer.
final class Exchange {
    let id: ExchangeID
    var request: HTTPRequest
    let framing: RequestFraming
    let oldClient: Bool
    /// Monotonic second of the head.
    let startedAt: Int
    var bodySender = BodySender.anonymous(peer: "")
    var bodyLease: BodyLease?
    var output: [UInt8] = []
    /// What is left to write of the answer starts here.
    var written = 0
    var closesAfterwards: Bool
    /// nil: `answerSeconds` is the limit.
    var wait: Wait?

    /// Of the body.
    var missingBytes: Int { framing.bodyLength - request.body.count }

    init(id: ExchangeID, request: HTTPRequest, framing: RequestFraming, oldClient: Bool, startedAt: Int) {
        self.id = id
        self.request = request
        self.framing = framing
        self.oldClient = oldClient
        self.startedAt = startedAt
        closesAfterwards = framing.closes
    }
}

/// A WebSocket or a streamed response.
final class Channel {
    enum Kind {
        case socket
        case stream(StreamFraming, keepsConnection: Bool)
    }

    let id: ChannelID
    let isSocket: Bool
    /// What is sent goes out in chunks.
    let isChunked: Bool
    /// The connection serves further requests after the end of a streamed response.
    let keepsConnection: Bool
    var backlog = Backlog()
    /// Of a WebSocket.
    let frames: FrameReader
    /// Decided once; nothing but what waits and the close frame goes out any more.
    var closing: (code: UInt16, reason: String)?
    var hasSaidClose = false
    /// The peer has sent its close frame.
    var isClosedByPeer = false
    /// The end of a streamed response has been sent, or waits behind the rest.
    var isComplete = false
    /// Of a streamed response that was given as a value. nil: the handler sends on the channel.
    var producer: Task<Void, Never>?
    /// Of the producer's writes, those whose bytes still wait.
    var writers: [StreamWriter.Continuation] = []

    init(id: ChannelID, kind: Kind, maximumMessage: Int = 0) {
        self.id = id
        switch kind {
        case .socket: (isSocket, isChunked, keepsConnection) = (true, false, false)
        case .stream(let framing, let isKept):
            (isSocket, isChunked, keepsConnection) = (false, framing == .chunked, isKept)
        }
        frames = FrameReader(maximumMessage: maximumMessage)
    }

    func resumeWriters(_ result: Result<Void, StreamEnded>) {
        let waiting = writers
        writers = []
        for writer in waiting { writer.resume(returning: result) }
    }
}
