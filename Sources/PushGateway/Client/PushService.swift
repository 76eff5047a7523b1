internal import EventModel
internal import HTTPClient
internal import Signing

/// The parts that differ between push services. Called on the push thread, except `traits`.
protocol PushService: Sendable {
    associatedtype Request: AnyObject & Sendable
    /// Authenticates this server to the service.
    associatedtype Credential: Sendable, Equatable

    /// For logs and the thread's name.
    var name: String { get }

    func traits(of request: Request) -> PushTraits

    /// - Parameter held: the credential of the connection's last push.
    func credential(for origin: PushOrigin, held: Credential?) throws(SigningError) -> Credential

    func writeHeaders(of request: Request, credential: Credential, to headers: inout H2HeaderBlock)

    func body(of request: Request) -> [UInt8]

    /// Header fields that `answer` uses, in lower case.
    var answerFields: [String] { get }

    func answer(_ response: H2Response) -> PushAnswer

    func isAccepted(_ answer: PushAnswer) -> Bool

    func reaction(to answer: PushAnswer, of request: Request, with credential: Credential) -> PushReaction
}

/// The properties of a push that queues need.
struct PushTraits: Sendable {
    let origin: PushOrigin
    /// Greater values go first.
    let priority: Int
    let deadline: Timestamp
    /// The bytes that it takes in queues.
    let bytes: Int
}
