import Compression
import EventModel
import Foundation
import HTTPModel
import JSON
import Testing

@testable import EventIngest
@testable import Masking

/// SplitMix64 (Steele, Lea, Flood 2014): the same mutations in every run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

@Suite("Mutations")
struct MutationTests {
    private static let interesting: [[UInt8]] = [
        Array("\\u0000".utf8), Array("\\ud800".utf8), Array("\"".utf8), Array("\\".utf8), Array("{".utf8),
        Array("[".utf8),
        Array("}".utf8), Array("1e999".utf8), Array("99999999999999999999".utf8), [0xFF], [0], [0xF0, 0x9F],
        Array(",".utf8),
        Array("null".utf8), Array("password=".utf8), Array("sk-ant-".utf8), Array("-----BEGIN PRIVATE KEY".utf8),
    ]

    private static func mutated(_ body: [UInt8], with other: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var body = body
        for _ in 0..<Int.random(in: 1...3, using: &random) where !body.isEmpty {
            let place = Int.random(in: 0..<body.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: body[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: body.removeLast(body.count - place)
            case 2: body.removeSubrange(place..<min(body.count, place + Int.random(in: 1...12, using: &random)))
            case 3: body.insert(contentsOf: interesting.randomElement(using: &random) ?? [], at: place)
            case 4:
                body.replaceSubrange(
                    place..<min(body.count, place + 4),
                    with: interesting.randomElement(using: &random) ?? []
                )
            default:
                let from = Int.random(in: 0..<other.count, using: &random)
                body.insert(contentsOf: other[from..<min(other.count, from + 40)], at: place)
            }
        }
        return body
    }

    /// What has to hold of every event, whatever it was made from.
    private func check(_ event: MonitorEvent, policy: ContentPolicy, body: [UInt8]) throws {
        let problem = { String(decoding: body.prefix(2000), as: UTF8.self) }
        let isObject = try? JSONValue.parse(event.payload, maxDepth: 201).isObject
        #expect(isObject == true, "\(problem())")
        #expect(String(validating: event.payload, as: UTF8.self) != nil, "\(problem())")
        #expect(!event.payload.contains(0) && !event.payloadText.contains("\u{0}"), "\(problem())")
        if policy != .full { #expect(event.payload.count <= PayloadWriter.maxPayloadBytes, "\(problem())") }
        #expect(event.summary.unicodeScalars.count <= SummaryLine.maxLength, "\(problem())")
        #expect(!event.summary.isEmpty && !event.summary.contains("\n"), "\(problem())")
    }

    private func run(_ bodies: [[UInt8]], rounds: Int) throws {
        var random = SeededGenerator(state: 42)
        let decoders = ContentPolicy.allCases.map { ($0, IngestDecoder.with(policy: $0)) }
        var accepted = 0
        for body in bodies {
            for round in 0..<rounds {
                let other = bodies.randomElement(using: &random) ?? body
                let input = round == 0 ? body : MutationTests.mutated(body, with: other, &random)
                let (policy, decoder) = decoders[round % decoders.count]
                guard let event = try? decoder.hook(input) else { continue }
                accepted += 1
                try check(event, policy: policy, body: input)
            }
        }
        #expect(accepted >= bodies.count)
    }

    @Test("a changed hook is refused or becomes a sound event")
    func hooks() throws {
        try run(HookFixture.all.map(\.bytes), rounds: 300)
    }

    @Test("a changed batch is refused or each of its items is answered")
    func batches() throws {
        var random = SeededGenerator(state: 7)
        let decoder = IngestDecoder.with()
        let lines = HookFixture.all.map { #"{"event_id":"0190b7c4-1111-7222-8333-444455556666","data":\#($0.json)}"# }
        let array = Array(("[" + lines.joined(separator: ",") + "]").utf8)
        let text = Array(lines.joined(separator: "\n").utf8)
        for _ in 0..<300 {
            if let items = try? decoder.events(MutationTests.mutated(array, with: text, &random)) {
                #expect(!items.isEmpty)
            }
            let items = try? decoder.events(
                MutationTests.mutated(text, with: array, &random),
                type: "application/x-ndjson"
            )
            for event in (items ?? []).compactMap(\.event) { try check(event, policy: .summary, body: event.payload) }
        }
    }

    @Test("changed gzip is refused or inflates")
    func compressed() throws {
        var random = SeededGenerator(state: 3)
        let decoder = IngestDecoder.with()
        let json = Array(("[" + HookFixture.all.map(\.json).joined(separator: ",") + "]").utf8)
        let body = try #require(Deflater(.gzip, level: 6)).deflate(json, isLast: true)
        for _ in 0..<300 {
            let input = MutationTests.mutated(body, with: body, &random)
            if let items = try? decoder.events(input, encoding: "gzip") { #expect(!items.isEmpty) }
        }
    }

    /// `HOOK_FIXTURES` names a directory of captured hooks, one JSON file each.
    @Test("captured hooks, as they are and changed", .enabled(if: capturedHooksDirectory != nil))
    func captured() throws {
        let directory = try #require(MutationTests.capturedHooksDirectory)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }
            .sorted()
        let bodies = try names.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\($0)"))) }
        try #require(!bodies.isEmpty)
        for (name, body) in zip(names, bodies) {
            let event = try IngestDecoder.with().hook(body)
            #expect(name.hasPrefix(event.hookEventName?.text ?? "?"))
        }
        try run(bodies, rounds: 300)
    }

    private static let capturedHooksDirectory = ProcessInfo.processInfo.environment["HOOK_FIXTURES"]
}
