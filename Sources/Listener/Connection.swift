internal import HTTPModel

/// The other end of a connection.
struct PeerSource {
    /// For limits and logs; empty for a unix socket.
    let peer: String
    /// The connection came through a unix socket.
    let isLocal: Bool
    /// The peer is a trusted proxy, whose `X-Forwarded-For` is trusted.
    let isProxy: Bool
    /// The connection counts towards the limit of its peer.
    let isCounted: Bool
}

/// One accepted connection. Loop thread only.
final class Connection {
    /// What the connection is doing.
    enum Mode {
        /// Between requests, or in the middle of a request's head.
        case idle
        /// The body of a request is being read.
        case reading(Exchange)
        /// The handler has the request and has not answered it yet.
        case waiting(Exchange)
        /// The answer waits for the client to read it.
        case writing(Exchange)
        /// The request was refused, or the WebSocket closed. Input is dropped, so that the client can read why.
        case draining
        case channel(Channel)
        /// The last answer waits for the client to read it. Then the connection ends.
        case flushing
        /// Nothing more is read or written.
        case ending
    }

    // The fields that each delivery needs come first.
    /// The channel of the mode, without copying the mode.
    private(set) var channel: Channel?
    /// nil before the library has adopted the connection and after the connection is gone.
    var lws: LWSConnection?
    let id: UInt64
    let source: PeerSource
    var mode = Mode.idle {
        didSet {
            if case .channel(let current) = mode { channel = current } else { channel = nil }
        }
    }
    /// Collects received bytes until they form a complete request.
    var reader = RequestReader()
    /// `readRequests` is running. An immediate answer does not start it again.
    var isReadingRequests = false
    /// Reading is off: see `NetworkLoop.limitReading`.
    var isReadingPaused = false
    /// A head has begun, and its deadline is set.
    var hasHeadDeadline = false
    /// See `Quirk.keepsTheHandshakeTimeout`.
    var hasHandshakeEnded = false
    /// After the server has closed a WebSocket, this finds the client's close frame in the dropped input. `nil` if the
    /// server does not wait for one.
    var closingFrames: FrameReader?
    /// Number of bytes that may still be dropped before the connection is cut off.
    var dropBudget = 0
    /// `LWSConnection.bytesAcknowledged` at the last check of progress.
    var acknowledged: UInt64 = 0
    /// Monotonic second. Only `NetworkLoop.setDeadline` sets it.
    var deadline = Int.max
    /// Monotonic second in which the wheel returns this connection.
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
    /// Reads the body if it comes in chunks.
    var chunks: ChunkReader?
    var bodySender = BodySender.anonymous(peer: "")
    var bodyLease: BodyLease?
    var output: [UInt8] = []
    /// How much of `output` has been written.
    var written = 0
    var closesAfterwards: Bool
    /// nil means that `answerSeconds` is the limit.
    var wait: Wait?

    /// Bytes of the body that have not arrived yet. 0 for a body in chunks.
    var missingBytes: Int { (framing.body.announcedLength ?? request.body.count) - request.body.count }

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
    /// Each send becomes a chunk.
    let isChunked: Bool
    /// The connection serves further requests after the end of a streamed response.
    let keepsConnection: Bool
    var backlog = Backlog()
    /// Reads the frames of a WebSocket.
    let frames: FrameReader
    /// Set once. After that, only waiting data and the close frame are sent.
    var closing: (code: UInt16, reason: String)?
    var hasSaidClose = false
    /// Close frames carry no reason, and 1012 in place of 1001.
    var closesQuietly = false
    /// The peer has sent its close frame.
    var isClosedByPeer = false
    /// The end of a streamed response has been sent, or waits behind the remaining data.
    var isComplete = false
    /// Produces a streamed response that was given as a value. `nil` if the handler sends on the channel.
    var producer: Task<Void, Never>?
    /// The producer's writes whose bytes are not sent yet.
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
