internal import Signing

/// The push services of browsers (RFC 8030), told apart by their origin, with a VAPID token for each (RFC 8292).
struct WebPushService: PushService {
    let name = "push-web"
    let tokens: VAPIDTokens

    func traits(of request: WebPushRequest) -> PushTraits {
        PushTraits(
            origin: request.subscription.origin,
            priority: request.urgency.rank,
            deadline: request.deadline,
            bytes: request.queuedBytes
        )
    }

    func credential(for origin: PushOrigin, held: VAPIDToken?) throws(SigningError) -> VAPIDToken {
        try tokens.token(for: origin)
    }

    func message(for request: WebPushRequest, credential: VAPIDToken, seen: inout Set<String>) -> PushMessage {
        let origin = request.subscription.origin
        var fields = [
            H2Header(name: ":method", value: "POST"),
            H2Header(name: ":scheme", value: "https"),
            // A secret, and another for each browser.
            H2Header(name: ":path", value: request.subscription.parts.target, isIndexed: false),
            H2Header(name: ":authority", value: origin.authority),
            H2Header(name: "authorization", value: "vapid t=\(credential.text), k=\(tokens.key.publicKeyText)"),
            H2Header(name: "content-encoding", value: "aes128gcm"),
            H2Header(name: "content-type", value: "application/octet-stream"),
            H2Header(name: "content-length", value: String(request.body.count)),
            H2Header(name: "ttl", value: String(request.timeToLive)),
            H2Header(name: "urgency", value: request.urgency.rawValue),
        ]
        if let topic = request.topic {
            fields.append(H2Header(name: "topic", value: topic, isIndexed: false))
        }
        return PushMessage(fields: fields, body: request.body)
    }

    func answer(_ response: H2Response) -> WebPushAnswer { WebPushAnswer(response) }

    func reaction(to answer: WebPushAnswer, of request: WebPushRequest, with credential: VAPIDToken) -> WebPushReaction
    {
        WebPushReaction.of(status: answer.status, reason: answer.reasonText, retryAfter: answer.retryAfterSeconds)
    }
}

extension WebPushAnswer: PushAnswer {
    var isAccepted: Bool { (200..<300).contains(status) }
}

extension WebPushReaction: PushReaction {}
