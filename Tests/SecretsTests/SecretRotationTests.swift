import HTTPModel
import Signing
import Testing

@testable import Secrets

@Suite struct SecretRotationTests {
    private let sample: VaultSample

    init() throws { sample = try VaultSample() }

    private func keep(_ count: Int) async throws {
        for index in 0..<count { try await sample.keep("row \(index)", "secret \(index)") }
    }

    @Test func sealsEveryRowAnewAndRemovesTheOldKey() async throws {
        try await keep(250)
        let old = try sample.file.read()[0]
        let report = try await sample.rotate()
        #expect(report.resealed == 250 && report.unreadable == 0 && !report.isResumed)
        #expect(report.removedKeys == [old.id] && report.keyID != old.id)
        #expect(try sample.file.read().map(\.id) == [report.keyID])
        for index in 0..<250 {
            #expect(SecretSealer.keyID(of: try await sample.sealed("row \(index)")) == report.keyID)
            #expect(try await sample.secret("row \(index)") == "secret \(index)")
        }
    }

    @Test func keepsTheOldKeyForWhatDoesNotOpen() async throws {
        try await keep(3)
        let old = try sample.file.read()[0]
        var changed = try await sample.sealed("row 1")
        changed[changed.count - 1] ^= 1
        try await sample.put("row 1", changed)
        let report = try await sample.rotate()
        #expect(report.resealed == 2 && report.unreadable == 1 && report.removedKeys == [])
        #expect(Set(try sample.file.read().map(\.id)) == [old.id, report.keyID])
        // The next one finishes this one.
        try await sample.keep("row 1", "secret again")
        let next = try await sample.rotate()
        #expect(next.isResumed && next.keyID == report.keyID && next.removedKeys == [old.id])
        #expect(try await sample.secret("row 1") == "secret again")
    }

    @Test func usesThePreparedKey() async throws {
        try await keep(1)
        let prepared = try await sample.vault.spareKey(besides: try await sample.vault.storedKeys())
        let again = try await sample.vault.spareKey(besides: try await sample.vault.storedKeys())
        #expect(prepared == again)
        let other = try sample.server(keys: try sample.file.read())
        #expect(try await sample.rotate().keyID == prepared.id)
        #expect(try await sample.secret("row 0", by: other.vault) == "secret 0")
        try await sample.keep("row 1", "of the other server", by: other.vault)
        #expect(try await sample.secret("row 1") == "of the other server")
    }

    @Test func writesDuringARotationHaveTheNewKey() async throws {
        try await keep(50)
        let sample = sample
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await sample.rotate() }
            for index in 50..<150 { group.addTask { try await sample.keep("row \(index)", "secret \(index)") } }
            try await group.waitForAll()
        }
        let current = try sample.file.read().map(\.id)
        #expect(current.count == 1)
        for index in 0..<150 {
            #expect(SecretSealer.keyID(of: try await sample.sealed("row \(index)")) == current[0])
            #expect(try await sample.secret("row \(index)") == "secret \(index)")
        }
    }

    @Test func twoRotationsAtOnceLeaveOneKey() async throws {
        try await keep(20)
        let other = try sample.server(keys: try sample.file.read())
        let sample = sample
        async let first = code { _ = try await sample.rotate() }
        async let second = code { _ = try await sample.rotate(by: other.vault) }
        let faults = [await first, await second].compactMap(\.self)
        // The one that came second lacks the key of the first.
        #expect(faults.allSatisfy { $0 == "secret_key_missing" || $0 == "secret_key_failed" })
        #expect(try await sample.vault.storedKeys().filter(\.isCurrent).count == 1)
    }

    @Test func rotationWithoutSecretsMakesAKey() async throws {
        let report = try await sample.rotate()
        #expect(report.resealed == 0 && report.removedKeys == [])
        #expect(try sample.file.read().map(\.id) == [report.keyID])
    }
}
