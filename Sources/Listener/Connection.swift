internal import HTTPModel

/// One accepted connection. Loop thread only.
final class Connection {
    /// What the connection is doing. A link is a WebSocket or a stream.
    enum Mode {
        /// Between requests, or in the middle of a request's head.
        case idle
        case reading(Exchange)
        /// The handler has the request.
        case waiting(Exchange)
        /// The answer waits for the client to take it.
        case writing(Exchange)
        /// Refused, or closed: what is still coming is thrown away, so that the client gets to read why.
        case draining
        /// The upgrade is granted, the handshake under way.
        case upgrading(HTTPRequest)
        case link(Link)
        /// Nothing more is read or written.
        case ending
    }

    /// See `Wire.parkReading`.
    enum Input {
        case open
        case parked
        case silent
    }

    let id: UInt64
    let peer: String
    let isLocal: Bool
    /// nil before it is adopted and after it is gone.
    var wire: Wire?
    var mode = Mode.idle {
        didSet {
            if case .link(let current) = mode { link = current } else { link = nil }
        }
    }
    /// That of the mode, to be had without copying it.
    private(set) var link: Link?
    var input = Input.open
    /// A request came before the one that is under way: see `Wire.mayHaveLeftOver`.
    var hasAnswered = false
    /// How often the library said in this turn that a body which has ended has ended.
    var repeatedEnd: (turn: UInt64, count: Int) = (0, 0)
    /// How many unwanted bytes are still taken before the connection is cut off.
    var dropBudget = 0
    /// `Wire.bytesAcknowledged` when progress was last looked at.
    var acknowledged: UInt64 = 0
    /// Set by `NetworkLoop.setDeadline` alone, so that the wheel comes by.
    var deadline = Int.max
    /// Monotonic second in which the wheel of deadlines comes by.
    var nextVisit = Int.max

    init(id: UInt64, peer: String, isLocal: Bool) {
        self.id = id
        self.peer = peer
        self.isLocal = isLocal
    }
}

/// A request and its answer.
final class Exchange {
    let id: ExchangeID
    var request: HTTPRequest
    let passage: Passage
    let oldClient: Bool
    /// Monotonic second of the head.
    let startedAt: Int
    var bodyLimit = 0
    var bodyLease: BodyLease?
    var output: [UInt8] = []
    /// What is left to write of the answer starts here.
    var written = 0
    var closesAfterwards: Bool

    init(id: ExchangeID, request: HTTPRequest, passage: Passage, oldClient: Bool, startedAt: Int) {
        self.id = id
        self.request = request
        self.passage = passage
        self.oldClient = oldClient
        self.startedAt = startedAt
        closesAfterwards = passage.closes
    }
}

/// A WebSocket or a stream.
final class Link {
    enum Kind {
        case socket
        case stream
    }

    let id: LinkID
    let kind: Kind
    /// Pieces of the message that is being received.
    var message: [UInt8] = []
    /// It comes in more than one frame.
    var isFragmented = false
    var held = HeldMessages()
    var backlog = Backlog()
    /// Decided once; nothing but what waits and the close frame goes out any more.
    var closing: (code: UInt16, reason: String)?
    var hasSaidClose = false
    /// The peer has sent its close frame.
    var isClosedByPeer = false

    init(id: LinkID, kind: Kind) {
        self.id = id
        self.kind = kind
    }
}
