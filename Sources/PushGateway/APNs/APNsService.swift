internal import HTTPClient
internal import Signing

/// Apple's servers: one origin, and a provider token that each connection keeps for some time.
struct APNsService: PushService {
    let name = "push-apns"
    let answerFields = ["apns-id", "apns-unique-id", "retry-after"]
    let origin: PushOrigin
    let tokens: ProviderTokens

    func traits(of request: APNsRequest) -> PushTraits {
        PushTraits(
            origin: origin,
            priority: request.priority.rawValue,
            deadline: request.deadline,
            bytes: request.queuedBytes
        )
    }

    func credential(for origin: PushOrigin, held: ProviderToken?) throws(SigningError) -> ProviderToken {
        try tokens.token(held: held)
    }

    func writeHeaders(of request: APNsRequest, credential: ProviderToken, to headers: inout H2HeaderBlock) {
        APNsHeaders.write(request, authority: origin.host, token: credential.text, to: &headers)
    }

    func body(of request: APNsRequest) -> [UInt8] { request.payload }

    func answer(_ response: H2Response) -> PushAnswer { PushAnswer(apns: response) }

    func isAccepted(_ answer: PushAnswer) -> Bool { answer.status == 200 }

    func reaction(to answer: PushAnswer, of request: APNsRequest, with credential: ProviderToken) -> PushReaction {
        PushReaction.apns(
            status: answer.status,
            reason: answer.reason,
            timestamp: answer.timestamp,
            registeredAt: request.registeredAt,
            tokenAge: tokens.age(of: credential),
            retryAfter: answer.retryAfterSeconds
        )
    }
}
