import Foundation
import Testing

@testable import Listener

private let seconds = ProcessInfo.processInfo.environment["DIFFERENTIAL_SECONDS"]

/// The listener beside an independent parser, `Tests/smuggling/differential.py`. `make test-release` runs it for ten
/// minutes.
@Suite("Differential test", .enabled(if: seconds != nil)) struct DifferentialTests {
    @Test func theListenerSeesNoRequestThatAnotherParserDoesNot() async throws {
        let seconds = try #require(seconds)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("differential-\(UUID().uuidString)")
            .path
        try await withLoop([.unix(path: path)], configure: { $0.closeSeconds = 1 }) { _, _, _ in
            let client = Process()
            client.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            client.arguments = ["-B", "Tests/smuggling/differential.py", path, seconds]
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                client.terminationHandler = { _ in done.resume() }
                do { try client.run() } catch { done.resume(throwing: error) }
            }
            #expect(client.terminationStatus == 0)
        }
    }
}
