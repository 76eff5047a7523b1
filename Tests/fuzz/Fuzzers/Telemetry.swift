import EventIngest
import EventModel
import HTTPModel
import JSON
import Masking
import Telemetry

private let received = Timestamp(microseconds: 1_795_000_000_000_000)

/// What OpenTelemetry exporters send, in both formats.
let telemetryFuzzers = [
    Fuzzer(name: "otlp") { input in
        let (choice, body) = input.choice
        let signals: [OTLPSignal] = [.logs, .metrics, .traces]
        let policies = ContentPolicy.allCases
        let policy = policies[Int(choice >> 3) % policies.count]
        let request = HTTPRequest(
            method: .post,
            path: "/v1/logs",
            headers: ["content-type": choice & 1 == 0 ? "application/x-protobuf" : "application/json"],
            body: body
        )
        let decoder = OTLPDecoder(configuration: IngestConfiguration(contentPolicy: policy, maxBytes: 64 << 10))
        let decode = {
            try? decoder.decode(
                request,
                signals[Int(choice >> 1) % signals.count],
                machine: MachineID(rawValue: 1),
                machineName: "m",
                now: received
            )
        }
        guard let batch = decode() else { return }
        for event in batch.events {
            promise((try? JSONValue.parse(event.payload, maxDepth: 512)) != nil, "a payload is JSON")
            promise(event.type == .telemetry && event.hookEventName == nil, "telemetry is no hook")
            promise(SessionFacts(stored: event.facts.stored() ?? []) == event.facts, "facts are read back")
        }
        promise(decode()?.events.map(\.id) == batch.events.map(\.id), "ids follow from the content")
    }
]
