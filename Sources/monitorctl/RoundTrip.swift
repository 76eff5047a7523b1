import Foundation
import FoundationNetworking

/// Checks the path of an event from a post to the live stream, or only the stream.
struct RoundTrip {
    var client: HTTPClient

    static let eventType = "doctor_probe"
    private static let name = "round trip"
    private static let patience = Duration.seconds(10)

    /// - Parameter withEvent: if false, only waits for the start of the stream.
    func run(withEvent: Bool) async -> DoctorCheck {
        do {
            let stream = try await openStream()
            guard withEvent else {
                try await RoundTrip.within(RoundTrip.patience) { try await RoundTrip.awaitBeginning(of: stream) }
                return .ok(RoundTrip.name, "the live stream works; --probe sends an event through it")
            }
            let latency = try await probe(stream)
            return .ok(RoundTrip.name, "a probe event arrived after \(latency) ms")
        } catch let error as CommandError {
            return .failed(RoundTrip.name, error.message, do: "see the server's log")
        } catch {
            let detail = withEvent ? "the probe event was posted but did not arrive" : "nothing arrived on the stream"
            let advice = "check that no proxy on the way to the server buffers streams"
            return .failed(RoundTrip.name, "\(detail) in time", do: advice)
        }
    }

    private func openStream() async throws -> EventStream {
        let filter = [URLQueryItem(name: "type", value: RoundTrip.eventType)]
        return try await EventStream.open(client, query: filter, lastEventID: nil)
    }

    /// Posts with the admin token, so as an event of the machine `operator`, and needs no key.
    /// - Returns: milliseconds from the post to the event's arrival.
    private func probe(_ stream: EventStream) async throws -> Int {
        let id = UUID().uuidString.lowercased()
        let start = ContinuousClock.now
        let data = ["hook_event_name": "DoctorProbe", "message": "monitorctl doctor"]
        let envelope: [String: Any] = ["event_id": id, "event_type": RoundTrip.eventType, "data": data]
        let body = try JSONSerialization.data(withJSONObject: envelope)
        _ = try client.expectSuccess(try await client.send("POST", "/api/events", body: body))
        try await RoundTrip.within(RoundTrip.patience) { try await RoundTrip.await(id, on: stream) }
        return Int((ContinuousClock.now - start) / .milliseconds(1))
    }

    /// The server sends the start position of the stream at once.
    private static func awaitBeginning(of stream: EventStream) async throws {
        for try await part in stream where !part.isEmpty { return }
        throw URLError(.networkConnectionLost)
    }

    private static func await(_ id: String, on stream: EventStream) async throws {
        var parser = ServerSentEvents()
        for try await part in stream {
            for message in try parser.receive(part) where message.data.contains(id) { return }
        }
        throw URLError(.networkConnectionLost)
    }

    private static func within(_ limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(for: limit)
                throw URLError(.timedOut)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
