internal import Signing

/// Apple's servers: one origin, and a provider token that a connection keeps for a while.
struct APNsService: PushService {
    let name = "push-apns"
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

    func message(for request: APNsRequest, credential: ProviderToken, seen: inout Set<String>) -> PushMessage {
        let fields = APNsHeaders.fields(for: request, authority: origin.host, token: credential.text, seen: &seen)
        return PushMessage(fields: fields, body: request.payload)
    }

    func answer(_ response: H2Response) -> APNsAnswer { APNsAnswer(response) }

    func reaction(to answer: APNsAnswer, of request: APNsRequest, with credential: ProviderToken) -> APNsReaction {
        APNsReaction.of(
            status: answer.status,
            reason: answer.reason,
            timestamp: answer.timestamp,
            registeredAt: request.registeredAt,
            tokenAge: tokens.age(of: credential),
            retryAfter: answer.retryAfterSeconds
        )
    }
}

extension APNsAnswer: PushAnswer {
    var isAccepted: Bool { status == 200 }
}

extension APNsReaction: PushReaction {}
