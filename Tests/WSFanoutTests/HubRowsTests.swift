import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("Rows of sessions in the hub")
struct HubRowsTests {
    let output = RecordingOutput()
    let followed = EventFilter(types: [.sessionRow])

    private func row(_ text: String) -> StreamNotice {
        StreamNotice(method: "event/session_row", event: "session_row", json: Array(text.utf8))
    }

    private func rows(_ subscriber: Int) -> Int { output.sent[subscriber]?.count ?? 0 }

    /// Two followers. The socket of the first is full.
    private func blockedHub() -> Hub<RecordingOutput> {
        let hub = makeHub(output)
        for subscriber in 1...2 { hub.subscribe(subscriber, .plainWebSocket, followed) }
        output.results[1] = .waiting(bytes: 10)
        hub.send(row: row("0"), of: "s0")
        output.results[1] = .sent
        return hub
    }

    @Test("a row that a blocked follower missed is owed to it alone")
    func owedToOne() {
        let hub = blockedHub()
        hub.send(row: row("1"), of: "s1")
        hub.send(row: row("1"), of: "s1")
        #expect(rows(1) == 1 && rows(2) == 3)
        // Nothing is owed while the socket is full, and then once.
        #expect(hub.takeOwedRows(atMost: 9).rows.isEmpty)
        hub.drained(1)
        let owed = hub.takeOwedRows(atMost: 9)
        #expect(owed.rows == ["s1": [1]] && owed.lists.isEmpty)
        #expect(hub.takeOwedRows(atMost: 9).rows.isEmpty)
        hub.send(row: row("1"), of: "s1", to: owed.rows["s1"])
        #expect(rows(1) == 2 && rows(2) == 3)
    }

    @Test("what exceeds the limit remains owed")
    func limited() {
        let hub = blockedHub()
        for number in 1...3 { hub.send(row: row("r"), of: "s\(number)") }
        hub.drained(1)
        #expect(hub.takeOwedRows(atMost: 2).rows == ["s1": [1], "s2": [1]])
        #expect(hub.takeOwedRows(atMost: 2).rows == ["s3": [1]])
    }

    @Test("a follower that missed many rows, or a request to read the list anew, reads its list anew")
    func manyOwed() {
        for misses in [OwedRows.most + 1, 0] {
            let hub = blockedHub()
            for number in 0..<misses { hub.send(row: row("r"), of: "s\(number)") }
            if misses == 0 { hub.send(row: row("all"), of: nil) }
            hub.drained(1)
            let owed = hub.takeOwedRows(atMost: 9)
            #expect(owed.rows.isEmpty && owed.lists == [1])
        }
    }

    @Test("nothing is owed to a subscriber that no longer follows rows")
    func gone() {
        let hub = blockedHub()
        hub.send(row: row("1"), of: "s1")
        hub.subscribe(1, .plainWebSocket, .all)
        hub.drained(1)
        #expect(hub.takeOwedRows(atMost: 9).rows.isEmpty)
        hub.owe("s1", to: 1)
        #expect(hub.takeOwedRows(atMost: 9).rows.isEmpty)
        hub.remove(1)
        #expect(hub.owedRows.isEmpty)
    }
}
