internal import HTTPClient
internal import Signing

/// The push services of browsers (RFC 8030), distinguished by origin, with a VAPID token for each (RFC 8292).
struct WebPushService: PushService {
    let name = "push-web"
    let answerFields = ["location", "retry-after"]
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

    func writeHeaders(of request: WebPushRequest, credential: VAPIDToken, to headers: inout H2HeaderBlock) {
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        // A secret that differs for each browser.
        headers.append(":path", request.subscription.parts.target, indexing: .never)
        headers.append(":authority", request.subscription.origin.authority)
        headers.append("authorization", "vapid t=\(credential.text), k=\(tokens.key.publicKeyText)")
        headers.append("content-encoding", "aes128gcm")
        headers.append("content-type", "application/octet-stream")
        headers.append("content-length", String(request.body.count))
        headers.append("ttl", String(request.timeToLive))
        headers.append("urgency", request.urgency.rawValue)
        if let topic = request.topic { headers.append("topic", topic, indexing: .never) }
    }

    func body(of request: WebPushRequest) -> [UInt8] { request.body }

    func answer(_ response: H2Response) -> PushAnswer { PushAnswer(webPush: response) }

    func isAccepted(_ answer: PushAnswer) -> Bool { (200..<300).contains(answer.status) }

    func reaction(to answer: PushAnswer, of request: WebPushRequest, with credential: VAPIDToken) -> PushReaction {
        PushReaction.webPush(status: answer.status, reason: answer.reasonText, retryAfter: answer.retryAfterSeconds)
    }
}
