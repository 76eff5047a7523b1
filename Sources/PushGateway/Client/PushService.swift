internal import EventModel
internal import Signing

/// What tells one kind of push service from another; the rest of this room is the same for all. Asked on the push
/// thread, save `traits`.
protocol PushService: Sendable {
    associatedtype Request: Sendable
    /// Proves this server to the service.
    associatedtype Credential: Sendable, Equatable
    associatedtype Answer: PushAnswer
    associatedtype Reaction: PushReaction

    typealias Outcome = PushOutcome<Answer, Reaction>

    /// For logs and the name of the thread.
    var name: String { get }

    func traits(of request: Request) -> PushTraits

    /// - Parameter held: the one that the connection's last push had.
    func credential(for origin: PushOrigin, held: Credential?) throws(SigningError) -> Credential

    /// - Parameter seen: names of header fields that the connection has sent already, for HPACK.
    func message(for request: Request, credential: Credential, seen: inout Set<String>) -> PushMessage

    func answer(_ response: H2Response) -> Answer

    func reaction(to answer: Answer, of request: Request, with credential: Credential) -> Reaction
}

/// What queues need to know of a push.
struct PushTraits: Sendable {
    let origin: PushOrigin
    /// Greater goes first.
    let priority: Int
    let deadline: Timestamp
    /// What it costs in queues.
    let bytes: Int
}

/// A push in HTTP/2's terms.
struct PushMessage: Sendable {
    let fields: [H2Header]
    let body: [UInt8]
}

protocol PushAnswer: Sendable, Equatable {
    var status: Int { get }
    var isAccepted: Bool { get }
}

protocol PushReaction: Sendable, Equatable {
    var retry: PushRetry { get }
    var connection: PushConnectionVerdict { get }
}
