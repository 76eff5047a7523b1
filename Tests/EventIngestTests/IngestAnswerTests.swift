import EventModel
import HTTPModel
import JSON
import Testing

@testable import EventIngest

@Suite("IngestAnswer")
struct IngestAnswerTests {
    private let id = "0190b7c4-0000-7000-8000-000000000002"

    @Test("each item is answered in its place")
    func mixed() throws {
        let response = IngestAnswer(items: [
            .init("bad\"id", .rejected(.invalid("invalid_event_id", "no", param: "event_id"))),
            .init(id, .accepted(seq: 41)), .init(id, .duplicate(seq: 40)), .init(nil, .rejected(.emptyBatch)),
        ]).response(requestID: "r1")
        #expect(response.status == 202)
        let body = try JSONValue.parse(response.body)
        #expect(body["accepted"]?.integer == 1)
        #expect(body["duplicates"]?.integer == 1)
        #expect(body["rejected"]?.integer == 2)
        #expect(body["error"] == nil)
        let events = try #require(body["events"]?.array)
        #expect(events.compactMap { $0["status"]?.string } == ["rejected", "accepted", "duplicate", "rejected"])
        #expect(events[0]["event_id"]?.string == "bad\"id")
        #expect(events[0]["error"]?["code"]?.string == "invalid_event_id")
        #expect(events[0]["error"]?["param"]?.string == "event_id")
        #expect(events[1]["event_id"]?.string == id)
        #expect(events[1]["seq"]?.integer == 41)
        #expect(events[3]["event_id"] == nil)
    }

    @Test("what is only spooled has no place yet, and the answer says so")
    func spooled() throws {
        let items: [IngestAnswer.Item] = [.init(id, .spooled), .init(nil, .rejected(.emptyBatch))]
        let response = IngestAnswer(items: items).response(requestID: "r1")
        #expect(response.status == 202)
        let body = try JSONValue.parse(response.body)
        #expect(body["durability"]?.string == "spooled")
        #expect(body["accepted"]?.integer == 1)
        #expect(body["rejected"]?.integer == 1)
        let events = try #require(body["events"]?.array)
        #expect(events[0]["status"]?.string == "spooled")
        #expect(events[0]["seq"] == nil)
        let committed = IngestAnswer(items: [.init("a", .accepted(seq: 1))]).response(requestID: "r1")
        #expect(try JSONValue.parse(committed.body)["durability"] == nil)
    }

    @Test("a request of which nothing could be used is a bad request")
    func allRejected() throws {
        let response = IngestAnswer(items: [
            .init(nil, .rejected(.invalid("missing_data", "m"))), .init("x", .rejected(.invalid("b", "c"))),
        ]).response(requestID: "r1")
        #expect(response.status == 400)
        let body = try JSONValue.parse(response.body)
        #expect(body["error"]?["code"]?.string == "missing_data")
        #expect(body["error"]?["request_id"]?.string == "r1")
        #expect(body["error"]?["status"]?.integer == 400)
        #expect(body["rejected"]?.integer == 2)
        #expect(body["events"]?.array?.count == 2)
    }
}
