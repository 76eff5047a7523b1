internal import EventModel
internal import Signing

/// What tells one kind of push service from another; the rest of this room is the same for all. Asked on the push
/// thread, save `traits`.
protocol PushService: Sendable {
    associatedtype Request: AnyObject & Sendable
    /// Proves this server to the service.
    associatedtype Credential: Sendable, Equatable

    /// For logs and the name of the thread.
    var name: String { get }

    func traits(of request: Request) -> PushTraits

    /// - Parameter held: the one that the connection's last push had.
    func credential(for origin: PushOrigin, held: Credential?) throws(SigningError) -> Credential

    func writeHeaders(of request: Request, credential: Credential, to headers: inout H2HeaderBlock)

    func body(of request: Request) -> [UInt8]

    /// Header fields that `answer` looks at, in lower case.
    var answerFields: [String] { get }

    func answer(_ response: H2Response) -> PushAnswer

    func isAccepted(_ answer: PushAnswer) -> Bool

    func reaction(to answer: PushAnswer, of request: Request, with credential: Credential) -> PushReaction
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
