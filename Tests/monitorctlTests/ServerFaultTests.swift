import Foundation
import Testing

@testable import monitorctl

struct ServerFaultTests {
    private func message(_ status: Int, _ body: String) -> String {
        ServerFault(status: status, body: Data(body.utf8)).error(server: "http://x").message
    }

    @Test func oneLineWithTheServersReasonAndRequest() {
        let text = message(404, #"{"error":{"type":"not_found_error","message":"no such\nkey","request_id":"r-1"}}"#)
        #expect(text == "the server answered 404: no such key [request r-1]")
    }

    @Test func adviceByStatus() {
        #expect(message(401, "").contains("MONITOR_ADMIN_TOKEN"))
        #expect(message(429, #"{"error":{"message":"slow","retry_after":1.2}}"#).contains("try again in 2 s"))
        #expect(message(502, "<html>").contains("no reason given"))
    }
}
