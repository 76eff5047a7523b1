import EventModel
import JSON
import Sessions

@testable import EventIngest

/// What a disk gives back.
let storageFuzzers = [
    Fuzzer(name: "segment") { input in
        check(input)
        // And with sums that fit, so that what is behind them is reached.
        let (choice, rest) = input.choice
        let sequence: UInt64 = choice & 1 == 0 ? 1 : .max - UInt64(choice >> 1)
        var file = SegmentFormat.header(firstSequence: sequence)
        for (index, payload) in rest.split(separator: 0xFF, maxSplits: 8, omittingEmptySubsequences: false).enumerated()
        {
            file += SegmentFormat.record(Array(payload), sequence: sequence &+ UInt64(index))
        }
        check(file)
    },
    Fuzzer(name: "record") { input in
        guard let event = EventCodec.decode(input[...]) else { return }
        let encoded = EventCodec.encode(event)
        promise(EventCodec.decode(encoded[...]) == event, "a spooled event is read back")
    },
    Fuzzer(name: "fold") { input in
        let facts = SessionFacts(stored: input)
        promise(facts.stored().map { SessionFacts(stored: $0) == facts } ?? true, "an event's facts are read back")
        guard var fold = SessionState(id: "s", stored: input) else { return }
        let again = SessionState(id: "s", stored: fold.stored())
        promise(again != nil, "a fold is read back")
        fold = again ?? fold
        promise(SessionState(id: "s", stored: fold.stored())?.stored() == fold.stored(), "and is the same")
        guard let session = fold.session else { return }
        var writer = JSONWriter()
        Session.shape.write((session, Timestamp(microseconds: 1_770_000_000_000_000)), to: &writer)
        promise((try? JSONValue.parse(writer.bytes, maxDepth: 64)) != nil, "a session is JSON")
    },
]

private func check(_ file: [UInt8]) {
    let scan = SegmentScan(file)
    promise(scan.end <= file.count, "never beyond the file")
    if let payload = scan.firstPayload { _ = EventCodec.decode(payload) }
}
