import Foundation
import Signing
import Testing

@testable import monitorctl

struct AuditChainTests {
    private static func text(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    /// A chain as the server makes it.
    private static func records(_ texts: [String]) -> [AuditPage.Record] {
        var link = [UInt8](repeating: 0, count: 32)
        return texts.enumerated().map { number, text in
            let digest = Digest.sha256(Array(text.utf8))
            link = Digest.sha256(link + digest)
            return AuditPage.Record(
                id: String(number + 1),
                at: "2026-01-05T10:00:00.000Z",
                entryText: text,
                digest: AuditChainTests.text(digest),
                link: AuditChainTests.text(link)
            )
        }
    }

    private static func check(_ records: [AuditPage.Record], head: String? = nil) throws -> AuditChain {
        var chain = AuditChain(looksFor: head)
        for record in records { try chain.take(record) }
        try chain.finish()
        return chain
    }

    private let records = records([#"{"action":"prompt.answer"}"#, "{}", #"{"n":3}"#])

    @Test("a chain that nobody changed is right, also where an entry was erased")
    func right() throws {
        var records = records
        #expect(try AuditChainTests.check(records).link == records[2].link)
        records[1].entryText = nil
        #expect(try AuditChainTests.check(records, head: records[0].link.uppercased()).erased == 1)
        #expect(try AuditChainTests.check([]).count == 0)
    }

    @Test("a changed, removed, exchanged or cut entry is found")
    func wrong() {
        var changed = records
        changed[1].entryText = "{ }"
        #expect(throws: CommandError.self) { try AuditChainTests.check(changed) }
        #expect(throws: CommandError.self) { try AuditChainTests.check([records[0], records[2]]) }
        #expect(throws: CommandError.self) { try AuditChainTests.check([records[1], records[0], records[2]]) }
        #expect(throws: CommandError.self) {
            try AuditChainTests.check(Array(records.prefix(2)), head: records[2].link)
        }
        var malformed = records
        malformed[0].digest = "zz"
        #expect(throws: CommandError.self) { try AuditChainTests.check(malformed) }
    }
}
