import EventModel
import Testing

@testable import Machines

@Suite("Heartbeats")
struct HeartbeatTests {
    private func read(_ body: String) -> Heartbeat? {
        Heartbeat(body: Array(body.utf8), at: Timestamp(microseconds: 1))
    }

    @Test("sessions, and since when they are idle")
    func sessions() throws {
        let beat = try #require(
            read(
                #"""
                {"sessions":[{"session_id":"a","status":"idle","status_updated_at_ms":1795381196688},
                {"session_id":"b","status":"busy","status_updated_at_ms":1795381196688},
                {"session_id":"c","status":"waiting","waiting_for":"permission prompt"},
                {"session_id":"d","status":"idle"}, {"session_id":"e","status":"idle","status_updated_at_ms":-1},
                {"session_id":"f","status":"idle","status_updated_at_ms":"1"}]}
                """#
            )
        )
        #expect(beat.sessions == ["a", "b", "c", "d", "e", "f"])
        #expect(beat.idle == ["a": Timestamp(microseconds: 1_795_381_196_688_000)])
    }

    @Test("a time that no clock shows is none", arguments: ["9223372036854775807", "100000000000000"])
    func farFuture(time: String) {
        let body = #"{"sessions":[{"session_id":"a","status":"idle","status_updated_at_ms":\#(time)}]}"#
        #expect(read(body)?.idle.isEmpty == true)
    }

    @Test(
        "what is none",
        arguments: ["", "[]", "{}", #"{"sessions":1}"#, #"{"sessions":["a"]}"#, #"{"sessions":[{"session_id":7}]}"#]
    )
    func other(body: String) {
        #expect(read(body) == nil)
    }
}
