import Foundation
import FoundationNetworking

/// Posts one probe event as a machine would and waits for it on the live stream as a device would.
struct RoundTrip {
    var client: HTTPClient

    static let eventType = "doctor_probe"
    private static let name = "round trip"
    private static let patience = Duration.seconds(10)

    func run() async -> DoctorCheck {
        do {
            let latency = try await withTemporaryKey { try await probe(key: $0) }
            return .ok(RoundTrip.name, "a probe event came back in \(latency) ms")
        } catch let error as CommandError {
            return .failed(RoundTrip.name, error.message, do: "see the server's log")
        } catch {
            let detail = "the probe event was posted and did not arrive on the stream in time"
            return .failed(RoundTrip.name, detail, do: "check that nothing between here and the server buffers streams")
        }
    }

    private func withTemporaryKey<T>(_ body: (String) async throws -> T) async throws -> T {
        let name = "monitorctl-doctor"
        let request = try JSONEncoder().encode(["name": name])
        let reply = try await client.expectSuccess(client.send("POST", "/v1/keys", body: request))
        let key = try ServerJSON.decode(NewKey.self, reply.body)
        let outcome: Result<T, any Error>
        do {
            outcome = .success(try await body(key.key))
        } catch {
            outcome = .failure(error)
        }
        let revoked = try await client.send("DELETE", try KeyCommand.path(of: key.id.text))
        guard (200..<300).contains(revoked.status) else {
            throw CommandError.refused("the temporary key could not be revoked: monitorctl key revoke \(name)")
        }
        return try outcome.get()
    }

    /// - Returns: milliseconds from the post to the event's arrival.
    private func probe(key: String) async throws -> Int {
        let id = UUID().uuidString.lowercased()
        let filter = [URLQueryItem(name: "type", value: RoundTrip.eventType)]
        let stream = try await EventStream.open(client, query: filter, lastEventID: nil)
        let start = ContinuousClock.now
        let data = ["hook_event_name": "DoctorProbe", "message": "monitorctl doctor"]
        let envelope: [String: Any] = ["event_id": id, "event_type": RoundTrip.eventType, "data": data]
        let body = try JSONSerialization.data(withJSONObject: envelope)
        let post = try await client.send("POST", "/api/events", body: body, authorization: .bearer(key))
        _ = try client.expectSuccess(post)
        try await RoundTrip.within(RoundTrip.patience) { try await RoundTrip.await(id, on: stream) }
        return Int((ContinuousClock.now - start) / .milliseconds(1))
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
