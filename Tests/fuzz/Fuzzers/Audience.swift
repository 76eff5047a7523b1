import CdevDialect
import EventModel
import JSON

@testable import EventIngest
@testable import WSFanout

/// What subscribers are sent of events, in each of the forms there are.
let audienceFuzzers = [
    Fuzzer(name: "frames") { input in
        let event = try? IngestDecoder(configuration: IngestConfiguration(contentPolicy: .full, maxBytes: 64 << 10))
            .decodeHook(
                body: input,
                contentType: "application/json",
                contentEncoding: nil,
                machine: MachineID(rawValue: 1),
                machineName: "m",
                now: Timestamp(microseconds: 1_770_000_000_000_000)
            )
        guard let event else { return }
        let encoded = EncodedEvent(cdev: CommittedEvent(seq: 7, event: event, workspaceID: "ws-1"), epoch: "e")
        for transport in Transport.allCases {
            var bytes: [UInt8] = []
            encoded.append(for: transport, to: &bytes)
            promise(bytes.count <= encoded.encodedLength(for: transport), "no longer than it was said to be")
            if transport == .serverSentEvents { checkBlock(bytes) } else { checkFrames(bytes) }
        }
        promise((try? JSONValue.parse(Array(encoded.json), maxDepth: 300)) != nil, "an event is JSON")
    }
]

/// Server-sent events: three lines with a name before each, and an empty one.
private func checkBlock(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0).text }
    promise(!bytes.contains(0x0D) && lines.count == 5, "no field of an event ends a line")
    let starts = ["id: e:7", "event: ", "data: {", "", ""]
    promise(zip(lines, starts).allSatisfy { $0.hasPrefix($1) }, "an event is one block")
}

/// Frames of RFC 6455 section 5.2, one behind the other, each one JSON text.
private func checkFrames(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while rest.count >= 2 {
        promise(rest.removeFirst() == 0x81, "a whole text frame")
        var length = Int(rest.removeFirst())
        if length >= 126 {
            let width = length == 126 ? 2 : 8
            length = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(width)
        }
        promise(length <= rest.count, "a frame is as long as it says")
        promise((try? JSONValue.parse(Array(rest.prefix(length)), maxDepth: 300)) != nil, "a message is JSON")
        rest = rest.dropFirst(length)
    }
    promise(rest.isEmpty, "nothing is between frames")
}
