import Foundation
import Signing
import Testing

@Suite("ES256 keys")
struct ES256KeyTests {
    /// Runs the openssl command, which shares libcrypto with the code under test but not its Swift.
    static func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = FileHandle.nullDevice
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input))
        try standardInput.fileHandleForWriting.close()
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(output)
    }

    @Test("a .p8 of the openssl command signs, and its halves are always 32 bytes")
    func signs() throws {
        let pem = try Self.openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
        let key = try ES256PrivateKey(pem: pem)
        let message = Array("message".utf8)
        for _ in 0..<600 {
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(try key.publicKey.isValid(signature, of: message))
        }
        var wrong = try key.sign(message)
        wrong[10] ^= 1
        #expect(try !key.publicKey.isValid(wrong, of: message))
        #expect(try !key.publicKey.isValid(Array(wrong.dropLast()), of: message))
        #expect(try !ES256PrivateKey.generate().publicKey.isValid(key.sign(message), of: message))
    }

    @Test("a key survives PEM and its public point, and both ends agree on a secret")
    func formats() throws {
        let key = try ES256PrivateKey.generate()
        let again = try ES256PrivateKey(pem: key.pem())
        #expect(again.publicKey.point == key.publicKey.point)
        let peer = try ES256PrivateKey.generate()
        let secret = try key.sharedSecret(with: peer.publicKey)
        #expect(try secret == peer.sharedSecret(with: ES256PublicKey(point: key.publicKey.point)))
        #expect(secret.count == 32)
    }

    @Test("keys that cannot be used say why")
    func refusals() throws {
        func code(_ pem: [UInt8]) -> SigningError.Code? {
            do throws(SigningError) {
                _ = try ES256PrivateKey(pem: pem)
                return nil
            } catch {
                return error.code
            }
        }
        let otherCurve = try Self.openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"])
        let rsa = try Self.openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"])
        let edwards = try Self.openssl(["genpkey", "-algorithm", "ED25519"])
        let good = try ES256PrivateKey.generate().pem()
        let locked = try Self.openssl(
            ["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:word"],
            input: good
        )
        #expect(!otherCurve.isEmpty && !rsa.isEmpty && !edwards.isEmpty && !locked.isEmpty)
        #expect(code(otherCurve) == .wrongKeyType)
        #expect(code(rsa) == .wrongKeyType)
        #expect(code(edwards) == .wrongKeyType)
        #expect(code(locked) == .encryptedKey)
        #expect(code([]) == .notAPrivateKey)
        #expect(code(Array("no key".utf8)) == .notAPrivateKey)
        #expect(code(Array(good.prefix(100))) == .notAPrivateKey)
        let offCurve: [UInt8] = [4] + [UInt8](repeating: 1, count: 64)
        #expect(throws: SigningError.self) { try ES256PublicKey(point: offCurve) }
        #expect(throws: SigningError.self) { try ES256PublicKey(point: []) }
    }
}
