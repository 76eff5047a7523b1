import Foundation
import Synchronization

/// The built program as a process of its own.
final class ProgramRun: Sendable {
    private let process: Process
    private let stdout = Pipe()
    private let stderr = Pipe()
    private let errors = Errors()

    private final class Errors: Sendable {
        let text = Mutex(Data())
        let ended = DispatchSemaphore(value: 0)
    }

    var errorText: String { String(decoding: errors.text.withLock { $0 }, as: UTF8.self) }

    init(_ arguments: [String], url: String?, token: String? = StandInMonitor.token) throws {
        let bundle = ProcessInfo.processInfo.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        let program = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("monitorctl")
        process = Process()
        process.executableURL = program
        process.arguments = arguments
        var environment = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
        environment["MONITOR_URL"] = url
        environment["MONITOR_ADMIN_TOKEN"] = token
        process.environment = environment
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        // On a thread: a `readabilityHandler` is sometimes not called for the end of a pipe.
        Thread.detachNewThread { [stderr, errors] in
            while true {
                let data = stderr.fileHandleForReading.availableData
                if data.isEmpty { break }
                errors.text.withLock { $0.append(data) }
            }
            errors.ended.signal()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 50) { [process] in
            if process.isRunning { process.terminate() }
        }
    }

    /// Up to `count` lines of stdout, fewer only at its end.
    func lines(_ count: Int) async -> [String] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [stdout] in
                var text = Data()
                var found = 0
                while found < count {
                    let data = stdout.fileHandleForReading.availableData
                    guard !data.isEmpty else { break }
                    found += data.count { $0 == UInt8(ascii: "\n") }
                    text.append(data)
                }
                let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
                continuation.resume(returning: lines)
            }
        }
    }

    func interrupt() {
        process.interrupt()
    }

    /// All of the program's errors have been read then. Once for each program.
    func exitStatus() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process, errors] in
                process.waitUntilExit()
                errors.ended.wait()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }

    static func finish(
        _ arguments: [String],
        url: String?,
        token: String? = StandInMonitor.token
    ) async throws -> (status: Int32, out: [String], err: String) {
        let run = try ProgramRun(arguments, url: url, token: token)
        let lines = await run.lines(.max)
        let status = await run.exitStatus()
        return (status, lines, run.errorText)
    }
}
