import CZlib
import EventModel
import HTTPModel
import JSON
import Sessions

@testable import Compression
@testable import EventIngest
@testable import Masking

private let received = Timestamp(microseconds: 1_770_000_000_000_000)
private let machine = MachineID(rawValue: 1)

/// What machines post.
let ingestFuzzers = [
    Fuzzer(name: "events") { input in
        let (choice, body) = input.choice
        let policies = ContentPolicy.allCases
        let configuration = IngestConfiguration(
            contentPolicy: policies[Int(choice >> 2) % policies.count],
            maxEvents: 20,
            maxBytes: 64 << 10
        )
        let items = try? IngestDecoder(configuration: configuration).decodeEvents(
            body: body,
            contentType: choice & 1 == 0 ? "application/json" : "application/x-ndjson",
            contentEncoding: choice & 2 == 0 ? nil : "gzip",
            machine: machine,
            machineName: "m",
            now: received
        )
        promise((items?.count ?? 0) <= 20, "no more events than allowed")
        for case .event(let event, _) in items ?? [] { check(event, configuration.contentPolicy) }
    },
    Fuzzer(name: "hook") { input in
        let (choice, body) = input.choice
        let policies = ContentPolicy.allCases
        let policy = policies[Int(choice) % policies.count]
        let decoder = IngestDecoder(configuration: IngestConfiguration(contentPolicy: policy, maxBytes: 64 << 10))
        guard
            let event = try? decoder.decodeHook(
                body: body,
                contentType: "application/json",
                contentEncoding: nil,
                machine: machine,
                machineName: "m",
                now: received
            )
        else { return }
        check(event, policy)
        var fold = SessionState(id: event.sessionID ?? "s")
        for seq in 1...Int64(choice & 3) + 1 {
            fold.apply(CommittedEvent(seq: seq, event: event, workspaceID: nil))
        }
        promise(SessionState(id: fold.session?.id ?? "s", stored: fold.stored()) != nil, "a fold is read back")
    },
    Fuzzer(name: "masking") { input in
        let text = Array(input.text.utf8)
        var work = 0
        let once = SecretMasker.masked(text.span, work: &work) ?? text
        promise(work <= 64 * text.count + 4096, "the work grows with the text")
        let twice = SecretMasker.masked(once)
        // A blank or an address in a value, which makes it none, may have been masked: then all of it is masked.
        let isMore = (input.text.contains(" ") || input.text.contains("://")) && twice.count < once.count
        promise(twice == once || isMore, "to mask twice changes nothing")
        promise(String(validating: once, as: UTF8.self) != nil, "what is masked is UTF-8")
    },
    Fuzzer(name: "gzip") { input in
        let limit = 32 << 10
        let inflated = try? Inflater(.gzip).inflate(input, limit: limit)
        promise((inflated?.count ?? 0) <= limit, "never more than the bound")
    },
    Fuzzer(name: "json") { input in
        guard let value = try? JSONValue.parse(input, maxDepth: 64) else { return }
        var writer = JSONWriter()
        writer.value(value)
        let again = try? JSONValue.parse(writer.bytes, maxDepth: 64)
        promise(again != nil, "what is written can be read")
        let sanitized = JSONSanitizer.sanitized(input)
        promise(JSONSanitizer.sanitized(sanitized) == sanitized, "to mend twice changes nothing")
    },
]

/// What holds for every event that is let in, whatever was sent.
private func check(_ event: MonitorEvent, _ policy: ContentPolicy) {
    promise((try? JSONValue.parse(event.payload, maxDepth: 256)) != nil, "a payload is JSON")
    promise(!event.payload.contains(0), "PostgreSQL takes the payload")
    for text in [event.summary, event.sessionID ?? "", event.toolName ?? "", event.projectPath ?? ""] {
        promise(!text.utf8.contains(0), "PostgreSQL takes the text")
    }
    var writer = JSONWriter()
    CommittedEvent(seq: 1, event: event, workspaceID: nil).write(to: &writer, epoch: "e")
    promise((try? JSONValue.parse(writer.bytes, maxDepth: 300)) != nil, "an event is JSON")
}
