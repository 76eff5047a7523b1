public import HTTPModel

/// Handles the requests, WebSockets and streams of one loop. The loop creates and owns it. Every call comes on the
/// loop's thread, so a handler needs no lock and is not `Sendable`. A call must not block.
public protocol RequestHandler: AnyObject {
    /// The head is complete and the body has not been read: `request.body` is empty, and `bodyLength` bytes are
    /// announced; nil if the body comes in chunks.
    func admit(_ request: HTTPRequest, bodyLength: Int?, on loop: isolated NetworkLoop) -> Admission

    /// The request is complete. The handler may answer now or later, completely by `loop.respond` or in pieces by
    /// `loop.openStream`. Other threads post to the loop. A handler calls `loop.wait` if its answer may take longer
    /// than `answerSeconds`, or if it has to know when the client goes.
    func handle(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop)

    /// Decides on a WebSocket upgrade. The listener has checked method, version, Host and Origin.
    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision

    /// The WebSocket is open. `request` is the upgrade.
    func opened(_ channel: ChannelID, request: HTTPRequest, on loop: isolated NetworkLoop)

    /// One whole message, reassembled.
    func received(_ message: [UInt8], isText: Bool, from channel: ChannelID, on loop: isolated NetworkLoop)

    /// The kernel has accepted everything sent on this channel, after a time in which something waited.
    func drained(_ channel: ChannelID, on loop: isolated NetworkLoop)

    /// The channel has ended. No further call names it.
    func closed(_ channel: ChannelID, on loop: isolated NetworkLoop)

    /// All input of this turn has been delivered. The place for work that several requests share.
    func turnEnded(on loop: isolated NetworkLoop)

    /// Another thread has called `NetworkLoop.notifyHandler`, or the handler was just installed.
    func notified(on loop: isolated NetworkLoop)

    /// A connection was closed unread.
    func turnedAway(peer: String, _ reason: TurnedAway, on loop: isolated NetworkLoop)

    /// About once a second.
    func tick(on loop: isolated NetworkLoop)
}

extension RequestHandler {
    public func turnEnded(on loop: isolated NetworkLoop) {}
    public func notified(on loop: isolated NetworkLoop) {}
    public func turnedAway(peer: String, _ reason: TurnedAway, on loop: isolated NetworkLoop) {}
}

/// Why a connection was closed unread.
public enum TurnedAway: String, Sendable, CaseIterable {
    /// The server has reached its limit of connections.
    case tooMany = "server_limit"
    /// The peer has reached its limit.
    case tooManyOfPeer = "peer_limit"
    /// A trusted proxy sent no valid header of the PROXY protocol.
    case badProxyHeader = "bad_proxy_header"
    case stopping = "stopping"
}

public enum Admission: Sendable {
    /// Read the body, at most `limit` bytes; a larger body is answered with 413 and the connection is closed. `sender`
    /// is nil for a request without a credential, whose body uses a small budget. `handle` finds the note in
    /// `HTTPRequest.admission`.
    case read(limit: Int, sender: BodySender? = nil, note: (any Sendable)? = nil)
    /// Answer at once; the connection is closed if a body follows.
    case refuse(HTTPResponse)
}

public enum UpgradeDecision: Sendable {
    case accept
    case refuse(HTTPResponse)
}

/// One request that waits for its answer, on one loop. Ids are not reused.
public struct ExchangeID: Sendable, Hashable {
    let rawValue: UInt64
}

/// A WebSocket or a streamed response, such as server-sent events. Ids are not reused and ascend in the order of
/// opening.
///
public struct ChannelID: Sendable, Hashable, Comparable {
    let rawValue: UInt64

    public static func < (one: ChannelID, other: ChannelID) -> Bool { one.rawValue < other.rawValue }
}

public enum SendOutcome: Sendable, Equatable {
    /// The kernel has accepted all bytes.
    case sent
    /// The server has queued this many bytes. It calls `drained` when they have been sent.
    case waiting(bytes: Int)
    /// The channel has ended.
    case gone
}
