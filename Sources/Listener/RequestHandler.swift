public import HTTPModel

/// What a loop does with its requests, sockets and streams. Each loop makes and owns one; every call comes on the
/// loop's thread, so a handler needs no lock and is not `Sendable`. A call must not block.
public protocol RequestHandler: AnyObject {
    /// The head is complete, the body is not read yet (`request.body` is empty; `bodyLength` bytes are announced).
    func admit(_ request: HTTPRequest, bodyLength: Int, on loop: isolated NetworkLoop) -> Admission

    /// The request is complete. The answer may come now or later, whole by `loop.respond` or in pieces by
    /// `loop.openStream`; other threads post to the loop. A handler calls `loop.wait` if its answer may take longer
    /// than `answerSeconds`, or if it has to know when the client goes.
    func handle(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop)

    /// A WebSocket upgrade asks to come in. The listener has checked method, version, Host and Origin.
    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision

    /// The socket is open. `request` is the upgrade's.
    func opened(_ channel: ChannelID, request: HTTPRequest, on loop: isolated NetworkLoop)

    /// One whole message, reassembled.
    func received(_ message: [UInt8], isText: Bool, from channel: ChannelID, on loop: isolated NetworkLoop)

    /// All that was sent on this channel has left for the kernel, after a time in which something was waiting.
    func drained(_ channel: ChannelID, on loop: isolated NetworkLoop)

    /// The channel is gone: no further call names it.
    func closed(_ channel: ChannelID, on loop: isolated NetworkLoop)

    /// All that had come by the socket when the loop last looked has been handed over. The place for what several
    /// requests can share.
    func turnEnded(on loop: isolated NetworkLoop)

    /// A connection was closed before anything of it was read.
    func turnedAway(peer: String, _ reason: TurnedAway, on loop: isolated NetworkLoop)

    /// About once a second.
    func tick(on loop: isolated NetworkLoop)
}

extension RequestHandler {
    public func turnEnded(on loop: isolated NetworkLoop) {}
    public func turnedAway(peer: String, _ reason: TurnedAway, on loop: isolated NetworkLoop) {}
}

/// Why a connection was closed unread.
public enum TurnedAway: String, Sendable, CaseIterable {
    /// The server has as many connections as it may have.
    case tooMany = "server_limit"
    /// The peer has.
    case tooManyOfPeer = "peer_limit"
    /// A trusted proxy sent no valid header of the PROXY protocol.
    case badProxyHeader = "bad_proxy_header"
    case stopping = "stopping"
}

public enum Admission: Sendable {
    /// Read the body, at most `limit` bytes: more is answered 413 and the connection closed. `sender` nil: a request
    /// without a credential, whose body has a part of a small budget. `handle` finds the note in
    /// `HTTPRequest.admission`.
    case read(limit: Int, sender: BodySender? = nil, note: (any Sendable)? = nil)
    /// Answer at once; the connection is closed if a body was announced.
    case refuse(HTTPResponse)
}

public enum UpgradeDecision: Sendable {
    case accept
    case refuse(HTTPResponse)
}

/// One request that waits for its answer, on one loop. Never used twice.
public struct ExchangeID: Sendable, Hashable {
    let rawValue: UInt64
}

/// A WebSocket, or a response that stays open (server-sent events). Never used twice.
///
/// Ascending in the order of opening.
public struct ChannelID: Sendable, Hashable, Comparable {
    let rawValue: UInt64

    public static func < (one: ChannelID, other: ChannelID) -> Bool { one.rawValue < other.rawValue }
}

public enum SendOutcome: Sendable, Equatable {
    /// With the kernel.
    case sent
    /// Kept; so many bytes now wait in user space. `drained` will say when they have left.
    case waiting(bytes: Int)
    /// No such channel: it closed.
    case gone
}
