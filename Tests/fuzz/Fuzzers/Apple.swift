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
    Fuzzer(name: "document") { input in
        let (choice, bytes) = input.choice
        let part = Array(bytes.prefix(bytes.count * Int(choice >> 1) / 128))
        if case .complete(let document)? = try? DocumentAnswer.read(part, isEnd: false) {
            let later = try? DocumentAnswer.read(bytes, isEnd: choice & 1 == 0)
            promise(later == .complete(document), "what comes behind an answer changes nothing")
        }
        if case .complete(let document)? = try? DocumentAnswer.read(bytes, isEnd: choice & 1 == 0) {
            promise(document.body.count <= bytes.count, "no more than was sent")
            promise((document.maxAge ?? 0) >= 0, "an age is no debt")
        }
        guard let location = HTTPSLocation(bytes.text) else { return }
        let lines = location.request.count { $0 == 0x0A }
        promise(lines == 6, "an address forges no header")
    },
]
