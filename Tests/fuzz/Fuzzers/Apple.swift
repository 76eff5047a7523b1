import EventModel
import JSON
import Signing

@testable import Access
@testable import HTTPClient

private let now = Timestamp(microseconds: 1_770_000_000_000_000)
/// Nobody has its private key.
private let key = try? RS256PublicKey(modulus: [UInt8](repeating: 0xC1, count: 256), exponent: [1, 0, 1])
private let rules = AppleTokenRules(audiences: ["com.example.monitor"])

/// Sign in with Apple: the tokens that apps bring, and the keys that the server fetches to check them.
let appleFuzzers = [
    Fuzzer(name: "apple-token") { input in
        let text = input.text
        _ = try? JSONWebToken.unverifiedKeyID(ofRS256: text)
        if let key {
            let identity = try? rules.identity(in: text, signedBy: key, nonce: "n", now: now)
            promise(identity == nil, "no token but Apple's")
        }
        // And as though Apple had signed it, so that what is behind the signature is reached.
        guard let claims = try? JSONValue.parse(input, maxDepth: 8),
            let identity = try? rules.identity(claiming: claims, nonce: "n", now: now)
        else { return }
        promise(claims["nonce"]?.string == AppleTokenRules.claim(of: "n"), "made for this attempt")
        promise((claims["exp"]?.integer ?? 0) > 1_770_000_000 - 61, "not expired")
        promise((1...255).contains(identity.subject.utf8.count), "a subject has a length that can be stored")
        promise(identity.subject.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a subject forges no line of the log")
        if let email = identity.verifiedEmail {
            promise(email.contains("@") && email == email.lowercased(), "an address that can be looked up")
        }
    },
    Fuzzer(name: "apple-keys") { input in
        guard let keys = AppleKeySet(input), let json = try? JSONValue.parse(input, maxDepth: 8) else { return }
        let found = (json["keys"]?.array ?? []).compactMap { $0["kid"]?.string }.compactMap { keys[$0] }
        promise(!found.isEmpty, "a set that is taken holds a key")
        for key in found { promise((try? key.isValid(input, of: [])) != true, "nothing that nobody signed") }
    },
    Fuzzer(name: "response") { input in
        let (choice, bytes) = input.choice
        var (whole, pieces) = (ResponseReader(), ResponseReader())
        let expected = try? whole.take(bytes, isEnd: false).joined
        let size = max(1, Int(choice))
        var found: JoinedResponse? = JoinedResponse()
        for start in stride(from: 0, to: bytes.count, by: size) {
            guard let parts = try? pieces.take(Array(bytes[start..<min(start + size, bytes.count)]), isEnd: false)
            else {
                found = nil
                break
            }
            found?.append(parts)
        }
        promise(found?.isWhole != true || expected == found, "the sizes of pieces change nothing")
        promise((expected?.body.count ?? 0) <= bytes.count, "no more than was sent")
        guard let location = HTTPLocation(bytes.text) else { return }
        let lines = OutboundRequest(.get, location).bytes.count { $0 == 0x0A }
        promise(lines == 5, "an address forges no header")
    },
]

private struct JoinedResponse: Equatable {
    var head: ResponseHead?
    var body: [UInt8] = []
    var isWhole = false

    mutating func append(_ parts: [ResponseReader.Part]) {
        for part in parts {
            switch part {
            case .head(let head): self.head = head
            case .body(let piece): body += piece
            case .end: isWhole = true
            }
        }
    }
}

extension [ResponseReader.Part] {
    fileprivate var joined: JoinedResponse {
        var joined = JoinedResponse()
        joined.append(self)
        return joined
    }
}
