import EventModel
import Foundation
import JSON
import Synchronization

/// The mocks of Tests/push-oracle in a process of their own: they share no code with the client, HTTP/2 included.
final class PushOracle {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let directory: String
    private var unread: [UInt8] = []
    private(set) var ready = JSONValue.null

    init(_ scenario: String) throws {
        directory = NSTemporaryDirectory() + "push-oracle-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(scenario.utf8).write(to: URL(fileURLWithPath: directory + "/scenario.json"))
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("push-oracle/run")
        process.arguments = ["--scenario", directory + "/scenario.json", "--record", directory + "/seen.ndjson"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        ready = try answer()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: directory)
    }

    var caFile: String { ready["ca"]?.string ?? "" }

    func port(_ service: String, _ index: Int = 0) -> UInt16 {
        guard let ports = ready[service]?["ports"]?.array, index < ports.count else { return 0 }
        return ports[index].integer.flatMap(UInt16.init(exactly:)) ?? 0
    }

    /// A command; see the oracle's README.
    func command(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
        guard try answer()["ok"] == .bool(true) else { throw MockFailure("the oracle refuses \(text)") }
    }

    func records(_ kind: String, _ service: String) throws -> [JSONValue] {
        let text = try String(contentsOfFile: directory + "/seen.ndjson", encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }.filter {
            $0["kind"]?.string == kind && $0["service"]?.string == service
        }
    }

    /// Ends the process, which then tells what it counted.
    func summary(_ service: String) throws -> JSONValue {
        // The end of input would not do: processes started meanwhile hold a copy of the pipe.
        try input.fileHandleForWriting.write(contentsOf: Data(#"{"do": "quit"}"#.utf8 + [0x0A]))
        let deadline = Date() + 20
        while process.isRunning, Date() < deadline { usleep(10_000) }
        guard let summary = try records("summary", service).last else { throw MockFailure("no summary") }
        return summary
    }

    private func answer() throws -> JSONValue {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return try JSONValue.parse(Array(unread[..<end]))
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw MockFailure("the oracle ended") }
            unread += data
        }
    }
}
