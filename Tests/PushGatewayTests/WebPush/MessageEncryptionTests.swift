import Foundation
import Signing
import Testing

@testable import PushGateway

@Suite("MessageEncryption")
struct MessageEncryptionTests {
    /// A private key from its scalar and point, both in base64url: SEC 1 (RFC 5915) in PEM.
    private func key(_ scalar: String, _ point: String) throws -> ES256PrivateKey {
        let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        let der =
            [0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20] + (try #require(Base64URL.decode(scalar))) + curve
            + [0xA1, 0x44, 0x03, 0x42, 0x00] + (try #require(Base64URL.decode(point)))
        let label = "EC PRIVATE KEY"
        let text = Data(der).base64EncodedString(options: .lineLength64Characters)
        return try ES256PrivateKey(pem: Array("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n".utf8))
    }

    private let senderScalar = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    private let senderPoint =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    private let browserScalar = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    private let browserPoint =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    /// https://www.rfc-editor.org/rfc/rfc8291#appendix-A
    @Test("the example of RFC 8291, appendix A")
    func example() throws {
        let body = try MessageEncryption.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8),
            to: ES256PublicKey(point: #require(Base64URL.decode(browserPoint))),
            secret: #require(Base64URL.decode(secret)),
            key: key(senderScalar, senderPoint),
            salt: #require(Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw"))
        )
        #expect(
            Base64URL.encode(body)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
                + "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
    }

    @Test("the browser's half of the example agrees on the same secret")
    func agreement() throws {
        let sender = try key(senderScalar, senderPoint)
        let browser = try key(browserScalar, browserPoint)
        let shared = try sender.sharedSecret(with: browser.publicKey)
        #expect(try browser.sharedSecret(with: sender.publicKey) == shared)
        #expect(Base64URL.encode(shared) == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
    }

    @Test("no two messages share key, salt or ciphertext, and the overhead is what it is said to be")
    func fresh() throws {
        let browser = try ES256PrivateKey.generate()
        let bodies = try (0..<3).map { _ in
            try MessageEncryption.encrypt([1, 2, 3], to: browser.publicKey, secret: [UInt8](repeating: 7, count: 16))
        }
        #expect(Set(bodies.map { Array($0[..<16]) }).count == 3)
        #expect(Set(bodies.map { Array($0[21..<86]) }).count == 3)
        #expect(bodies.allSatisfy { $0.count == 3 + MessageEncryption.overhead })
    }
}
