import Testing

@testable import Signing

@Suite struct SecretSealerTests {
    private let key: SecretKey
    private let place = SecretPlace(table: "connections", row: "mcp_1/", column: "access_token")
    private let secret = Array("a token".utf8)

    init() throws { key = try SecretKey.generate() }

    @Test func opensWhatItSealed() throws {
        let sealer = SecretSealer(keys: [key])
        let sealed = try sealer.seal(secret, key: key.id, at: place)
        #expect(try sealer.open(sealed, at: place) == secret)
        #expect(SecretSealer.keyID(of: sealed) == key.id)
    }

    @Test func sealsAnEmptySecret() throws {
        let sealer = SecretSealer(keys: [key])
        #expect(try sealer.open(try sealer.seal([], key: key.id, at: place), at: place) == [])
    }

    @Test func neverSealsTheSameBytesTwice() throws {
        let sealer = SecretSealer(keys: [key])
        let all = try (0..<100).map { _ in try sealer.seal(secret, key: key.id, at: place) }
        #expect(Set(all).count == 100)
    }

    @Test(arguments: [
        SecretPlace(table: "others", row: "mcp_1/", column: "access_token"),
        SecretPlace(table: "connections", row: "mcp_2/", column: "access_token"),
        SecretPlace(table: "connections", row: "mcp_1/", column: "refresh_token"),
        SecretPlace(table: "connections", row: "", column: "mcp_1/access_token"),
    ])
    func refusesAnotherPlace(_ other: SecretPlace) throws {
        let sealer = SecretSealer(keys: [key])
        let sealed = try sealer.seal(secret, key: key.id, at: place)
        #expect(throws: SigningError(.notAuthentic, "open sealed bytes")) { try sealer.open(sealed, at: other) }
    }

    @Test func refusesEveryChangedBit() throws {
        let sealer = SecretSealer(keys: [key])
        let sealed = try sealer.seal(secret, key: key.id, at: place)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SigningError.self) { try sealer.open(changed, at: place) }
        }
        for count in 0..<sealed.count {
            #expect(throws: SigningError.self) { try sealer.open(Array(sealed.prefix(count)), at: place) }
        }
    }

    @Test func saysWhichKeyIsMissing() throws {
        let sealed = try SecretSealer(keys: [key]).seal(secret, key: key.id, at: place)
        let other = try SecretKey.generate()
        let sealer = SecretSealer(keys: [other])
        #expect(!sealer.hasKey(key.id))
        #expect(throws: SigningError(.unknownKey, "open a secret")) { try sealer.open(sealed, at: place) }
        #expect(throws: SigningError(.unknownKey, "seal a secret")) {
            try sealer.seal(secret, key: key.id, at: place)
        }
    }

    @Test func keepsSeveralKeys() throws {
        let newer = try SecretKey.generate()
        let old = try SecretSealer(keys: [key]).seal(secret, key: key.id, at: place)
        let sealer = SecretSealer(keys: [newer, key])
        #expect(try sealer.open(old, at: place) == secret)
        #expect(try sealer.open(sealer.seal(secret, key: newer.id, at: place), at: place) == secret)
    }

    @Test func keyComesBackFromItsText() {
        #expect(SecretKey(text: key.text) == key)
        #expect(SecretKey(text: key.text)?.id == key.id)
        #expect(SecretKey(text: key.text.dropLast(4)) == nil)
        #expect(SecretKey(text: key.text + "=") == nil)
        #expect(SecretKey(text: "") == nil)
    }

    @Test func printsNoKey() {
        for text in ["\(key)", String(reflecting: key), "\(SecretSealer(keys: [key]))"] {
            #expect(!text.contains(key.text))
        }
    }
}
