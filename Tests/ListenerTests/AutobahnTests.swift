import Foundation
import Testing

@testable import Listener

private let preparedDirectory = ProcessInfo.processInfo.environment["AUTOBAHN_WORK"]

/// The listener's echo under the fuzzing client of the Autobahn test suite; `Tests/autobahn/run` prepares it.
@Suite("Autobahn test suite", .enabled(if: preparedDirectory != nil))
struct AutobahnTests {
    /// Ten pings in one go: libwebsockets keeps one pong that it owes and forgets the pings that come before it is
    /// written (`lws_ws_rx_sm`, `ping_pending_flag`).
    private static let known: Set<String> = ["2.10", "2.11"]

    @Test("every case passes, but those of many pings at once")
    func everything() async throws {
        let work = URL(fileURLWithPath: try #require(preparedDirectory))
        let results = try await withLoop { _, bound, _ in
            guard case .tcp(_, let port)? = bound.first else { return [String: Result]() }
            return try await Self.run(in: work, url: "ws://127.0.0.1:\(port)/ws")
        }
        #expect(!results.isEmpty)
        var counts: [String: Int] = [:]
        for (name, result) in results {
            counts[result.behavior, default: 0] += 1
            if Self.known.contains(name) { continue }
            #expect(["OK", "INFORMATIONAL", "NON-STRICT"].contains(result.behavior), "\(name): \(result.behavior)")
            // After a violation the close frame is sent, and the client has time to close the connection.
            let closes = ["OK", "INFORMATIONAL", "FAILED BY CLIENT"]
            #expect(closes.contains(result.behaviorClose), "\(name): close \(result.behaviorClose)")
        }
        let others = results.filter { $0.value.behavior != "OK" }.keys.sorted().joined(separator: " ")
        let line = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        try "\(results.count) cases: \(line)\nnot OK: \(others)\n"
            .write(to: work.appendingPathComponent("summary"), atomically: true, encoding: .utf8)
    }

    private struct Result: Decodable, Sendable {
        var behavior: String
        var behaviorClose: String
    }

    private static func run(in work: URL, url: String) async throws -> [String: Result] {
        let template = try String(contentsOf: work.appendingPathComponent("template.json"), encoding: .utf8)
        let specification = work.appendingPathComponent("fuzz.json")
        try template.replacing("URL", with: url).write(to: specification, atomically: true, encoding: .utf8)
        let environment = ProcessInfo.processInfo.environment
        let suite = try #require(environment["AUTOBAHN_SUITE"])
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        client.arguments = [
            environment["AUTOBAHN_PYTHON"] ?? "python2.7", suite + "/bin/wstest", "-m", "fuzzingclient", "-s",
            specification.path,
        ]
        client.environment = environment.merging(["PYTHONPATH": suite]) { $1 }
        client.currentDirectoryURL = work
        client.standardOutput = FileHandle.nullDevice
        client.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            client.terminationHandler = { _ in done.resume() }
            do { try client.run() } catch { done.resume(throwing: error) }
        }
        let index = try Data(contentsOf: work.appendingPathComponent("reports/index.json"))
        return try JSONDecoder().decode([String: [String: Result]].self, from: index)["listener"] ?? [:]
    }
}
