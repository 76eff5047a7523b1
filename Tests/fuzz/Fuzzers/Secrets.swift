import EventModel
import HTTPModel
import JSON

@testable import Access
@testable import HTTPClient
@testable import PushGateway
@testable import Signing

private let key = try? ES256PrivateKey.generate()

/// Credentials, keys and what Apple answers.
let secretFuzzers = [
    Fuzzer(name: "token") { input in
        let text = input.text
        guard let key else { return }
        // Nobody but the holder of the key makes a token that holds, and that was made a moment ago.
        promise((try? JSONWebToken(verifying: text, with: key.publicKey)) == nil, "no token but our own")
        _ = OpaqueToken(text, kind: .refresh)
        _ = AccessKey(text)
        _ = PairingCode(text)
        let headers: [HTTPHeaders] = [
            ["authorization": text], ["x-api-key": text], ["sec-websocket-protocol": text],
        ]
        for header in headers {
            let credential = (try? Credential.read(from: header)) ?? ""
            promise(credential.utf8.count <= 4096, "a credential has a bound")
        }
        if let bytes = Base64URL.decode(text) {
            promise(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "base64url")
        }
    },
    Fuzzer(name: "signature") { input in
        if let raw = ECDSASignature.raw(fromDER: input) {
            promise(raw.count == 64, "two numbers of 32 bytes")
            promise(
                ECDSASignature.der(fromRaw: raw).flatMap(ECDSASignature.raw(fromDER:)) == raw,
                "a signature is read back"
            )
        }
        _ = ECDSASignature.der(fromRaw: input)
        _ = try? ES256PublicKey(point: input)
    },
    Fuzzer(name: "pem") { input in _ = try? ES256PrivateKey(pem: input) },
    Fuzzer(name: "apns") { input in
        let (choice, body) = input.choice
        let statuses = [200, 400, 403, 404, 405, 410, 413, 421, 429, 500, 503, 0, 999]
        var response = H2Response()
        response.status = statuses[Int(choice) % statuses.count]
        response.fields = [("retry-after", body.prefix(20).map { $0 }.text), ("apns-id", "a")]
        response.body = body
        let answer = PushAnswer(apns: response)
        let reaction = PushReaction.apns(
            status: answer.status,
            reason: answer.reason,
            timestamp: answer.timestamp,
            registeredAt: Timestamp(microseconds: 1_770_000_000_000_000),
            tokenAge: 10,
            retryAfter: answer.retryAfterSeconds
        )
        promise(answer.status != 200 || reaction.retry == .never, "what was taken is not sent again")
    },
]
