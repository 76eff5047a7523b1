import API
import APISamples
import Audit
import DatabaseSamples
import EventModel
import HTTPModel
import JSON
import Testing

@testable import Secrets

@Suite struct SecretRoutesTests {
    private let sample: VaultSample
    private let routes: [Route]
    private let lines = LogLines()

    init() throws {
        sample = try VaultSample()
        let clock: @Sendable () -> Timestamp = { Timestamp(microseconds: 1_767_607_200_000_000) }
        let audit = AccessAudit(database: sample.store, clock: clock, logger: lines.logger)
        routes = Feature.secrets(sample.vault, columns: [VaultSample.column], audit: audit).routes
    }

    @Test func rotatesAndListsKeys() async throws {
        try await sample.keep("a", "token")
        let first = try sample.file.read()[0]
        let prepared = try await routes.ask(.post, "/v1/secrets/keys").body
        let id = prepared["id"]?.string
        #expect(prepared["state"]?.string == "prepared")
        let listed = try await routes.get("/v1/secrets/keys").body["keys"]?.array ?? []
        #expect(listed.map { $0["state"]?.string } == ["current", "prepared"])
        #expect(listed.map { $0["id"]?.string } == [first.id, id])
        let rotated = try await routes.ask(.post, "/v1/secrets/rotate").body
        #expect(rotated["id"]?.string == id && rotated["resealed"]?.integer == 1)
        #expect(rotated["removed_keys"]?.array?.compactMap(\.string) == [first.id])
        #expect(lines.all.count == 2)
        for key in [first] + (try sample.file.read()) {
            #expect(!lines.all.contains { $0.contains(key.text) })
        }
    }
}
