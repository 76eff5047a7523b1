import EventModel
import HTTPModel
import JSON
import Testing

@testable import MCP

@Suite struct SessionWaitTests {
    private func at(_ seconds: Double) -> Timestamp { Timestamp(microseconds: 0).adding(seconds: seconds) }

    private func wait(_ arguments: [(String, JSONValue)] = []) throws -> SessionWait {
        let all = [("session_id", JSONValue.string("s"))] + arguments
        return try SessionWait(ToolParameters(.object(all), of: SessionWait.tool), now: at(0))
    }

    private func session(_ state: String, _ status: String = "active") -> JSONValue {
        .object([("state", .string(state)), ("status", .string(status))])
    }

    @Test(arguments: ["waiting", "idle", "error", "unknown"]) func rest(_ state: String) throws {
        var wait = try wait()
        #expect(wait.look(at: session("running"), now: at(1)) == .again(isDue: false))
        #expect(wait.look(at: session(state), now: at(2)) == .done(timedOut: false))
    }

    @Test func theEnd() throws {
        var wait = try wait([("until", .string("ended"))])
        #expect(wait.look(at: session("idle", "idle"), now: at(1)) == .again(isDue: false))
        #expect(wait.look(at: session("running", "ended"), now: at(2)) == .done(timedOut: false))
    }

    @Test func progressComesEveryTwentySeconds() throws {
        var wait = try wait()
        let due = stride(from: 0.0, to: 60, by: 2).filter {
            wait.look(at: session("running"), now: at($0)) == .again(isDue: true)
        }
        #expect(due == [20, 40])
    }

    @Test func theTime() throws {
        var wait = try wait([("timeout_seconds", .integer(3))])
        #expect(wait.look(at: session("running"), now: at(2.9)) == .again(isDue: false))
        #expect(wait.look(at: session("running"), now: at(3)) == .done(timedOut: true))
    }

    @Test(arguments: [
        [("timeout_seconds", JSONValue.integer(0))], [("timeout_seconds", .integer(3601))],
        [("timeout_seconds", .string("soon"))], [("until", .string("never"))],
    ])
    func oddWishes(_ arguments: [(String, JSONValue)]) {
        #expect(throws: APIError.self) { try wait(arguments) }
    }

    @Test func oneCallerCannotTakeAllPlaces() throws {
        let calls = WaitingCalls()
        var places: [WaitingCalls.Place] = []
        while let place = try? calls.take(for: "key:1") { places.append(place) }
        #expect(places.count == WaitingCalls.maximum / 2)
        let other = try calls.take(for: "key:2")
        places.removeAll()
        while let place = try? calls.take(for: "key:1") { places.append(place) }
        #expect(places.count > WaitingCalls.maximum / 4)
        withExtendedLifetime(other) {}
    }
}

@Suite struct EventStreamTests {
    @Test func accept() {
        for accept in [nil, "*/*", "application/json, text/event-stream", "TEXT/EVENT-STREAM;q=0.1"] {
            #expect(EventStream.isAccepted(accept), "\(accept ?? "")")
        }
        #expect(!EventStream.isAccepted("application/json"))
        #expect(!EventStream.isAccepted(""))
    }
}
