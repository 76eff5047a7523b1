import ArgumentParser
import Foundation
import Signing

/// Lists and verifies the hash chain of the answers and messages that people sent.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read, verify and export the record of answers and messages.",
        subcommands: [List.self, Verify.self, Export.self],
        defaultSubcommand: List.self
    )

    struct List: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the entries, the oldest first: what was asked, answered, applied and sent."
        )

        @Option(help: "Only entries after this id.")
        var after: Int64 = 0

        @Option(help: "The maximum number of entries.")
        var limit = 100

        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            guard after >= 0 else { throw ValidationError("--after must be an id") }
            guard (1...AuditPages.size).contains(limit) else {
                throw ValidationError("--limit must be from 1 to \(AuditPages.size)")
            }
        }

        func execute(_ client: HTTPClient) async throws {
            let body = try await AuditPages.body(client, after: after, limit: limit)
            if connection.json { return try Output.document(body) }
            try Table.show(
                columns: [
                    .init(heading: "ID", alignment: .right), .init(heading: "AT"), .init(heading: "WHAT"),
                    .init(heading: "BY"), .init(heading: "DECISION"), .init(heading: "OF", minimum: 20),
                ],
                rows: try ServerJSON.decode(AuditPage.self, body).entries.map(row),
                ifEmpty: "Nothing was answered or sent\(after > 0 ? " after \(after)" : "")."
            )
        }

        private func row(_ record: AuditPage.Record) -> [Table.Cell] {
            let entry = record.entryText.flatMap { try? ServerJSON.decode(AuditEntry.self, Data($0.utf8)) }
            let answer = entry?.answer
            let author = entry?.message?.by
            let by = answer?.by ?? author ?? entry?.by
            let what = [entry?.toolName, entry?.detail ?? entry?.message?.text].compactMap(\.self)
            return [
                Table.Cell(record.id), Table.Cell(record.at),
                Table.Cell(entry?.action ?? (record.entryText == nil ? "erased" : "-")),
                Table.Cell(by?.name ?? by?.kind ?? "-"), Table.Cell(answer?.decision ?? "-"),
                Table.Cell(what.isEmpty ? entry?.sessionId ?? "-" : what.joined(separator: ": ")),
            ]
        }
    }

    struct Verify: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compute the hash chain and compare it with the stored one.",
            discussion: """
                Prints the last link of the chain. Store it on another machine. Later, pass it to --head: the command \
                fails if the chain no longer contains it, because the chain was replaced or cut off.
                """
        )

        @Option(help: "A link that this command printed earlier.")
        var head: String?

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            var chain = AuditChain(looksFor: head)
            try await AuditPages.all(client) { try chain.take($0) }
            try chain.finish()
            if connection.json { return try Output.document(try JSONEncoder().encode(chain.summary)) }
            let erased = chain.erased > 0 ? ", \(chain.erased) of them erased" : ""
            try Output.line("\(chain.count) entries\(erased), all links are correct.")
            try Output.line("last link: \(chain.link)")
        }
    }

    struct Export: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all entries to standard output as JSON Lines.",
            discussion:
                "Each line has id, at, entry, entry_text, digest and link: enough to verify the chain elsewhere."
        )

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            var after: Int64 = 0
            while true {
                let body = try await AuditPages.body(client, after: after, limit: AuditPages.size)
                for line in JSONSlices.elements(of: "entries", in: body) ?? [] { try Output.document(Data(line)) }
                guard let next = try ServerJSON.decode(AuditPage.self, body).next.flatMap(Int64.init) else { return }
                after = next
            }
        }
    }
}

/// Reads the chain page by page.
enum AuditPages {
    static let size = 1000

    static func body(_ client: HTTPClient, after: Int64, limit: Int) async throws -> Data {
        try await client.get(
            "/v1/audit/answers",
            query: [
                URLQueryItem(name: "after", value: String(after)), URLQueryItem(name: "limit", value: String(limit)),
            ]
        )
    }

    static func all(_ client: HTTPClient, _ take: (AuditPage.Record) throws -> Void) async throws {
        var after: Int64 = 0
        while true {
            let page = try ServerJSON.decode(AuditPage.self, try await body(client, after: after, limit: size))
            for record in page.entries { try take(record) }
            guard let next = page.next.flatMap(Int64.init) else { return }
            after = next
        }
    }
}

/// Computes the chain. Each link is the SHA-256 of the previous link and the entry's digest.
struct AuditChain {
    struct Summary: Encodable {
        var entries: Int
        var erased: Int
        var link: String
    }

    private(set) var count = 0
    private(set) var erased = 0
    private(set) var link = String(repeating: "0", count: 64)
    private let wanted: String?
    private var isFound: Bool

    /// - Parameter wanted: a link that must be in the chain.
    init(looksFor wanted: String? = nil) {
        self.wanted = wanted?.lowercased()
        isFound = wanted == nil || wanted == link
    }

    var summary: Summary { Summary(entries: count, erased: erased, link: link) }

    mutating func take(_ record: AuditPage.Record) throws(CommandError) {
        guard let digest = AuditChain.bytes(record.digest), let before = AuditChain.bytes(link) else {
            throw .refused("entry \(record.id) is malformed")
        }
        if let text = record.entryText {
            guard Digest.sha256(Array(text.utf8)) == digest else {
                throw .refused("entry \(record.id) was changed: its text does not match its digest")
            }
        } else {
            erased += 1
        }
        let next = AuditChain.text(Digest.sha256(before + digest))
        guard next == record.link else {
            throw .refused("the chain is broken at entry \(record.id): an entry before it was changed or removed")
        }
        (link, count) = (next, count + 1)
        if next == wanted { isFound = true }
    }

    func finish() throws(CommandError) {
        guard isFound else { throw .refused("the chain does not contain the link given by --head") }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: 64, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
        }
        return bytes.count == 32 ? bytes : nil
    }
}

/// The members of the server's answer that the commands use.
struct AuditPage: Decodable {
    struct Record: Decodable {
        var id: String
        var at: String
        var entryText: String?
        var digest: String
        var link: String
    }
    var entries: [Record]
    var next: String?
}

/// The content of an entry. Every member may be missing.
struct AuditEntry: Decodable {
    struct Author: Decodable {
        var kind: String?
        var name: String?
    }
    struct Answer: Decodable {
        var decision: String?
        var by: Author?
    }
    struct Message: Decodable {
        var text: String?
        var by: Author?
    }
    var action: String?
    var sessionId: String?
    var toolName: String?
    var detail: String?
    var answer: Answer?
    var message: Message?
    /// Who has read a prompt with nothing masked.
    var by: Author?
}
