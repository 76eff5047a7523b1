import EventModel
import Foundation
import Testing

@testable import EventIngest

@Suite("Killed process", .timeLimit(.minutes(5)))
struct KilledProcessTests {
    @Test("whatever was acknowledged before a kill -9 is replayed in order", arguments: [3, 40, 90])
    func killed(milliseconds: Int) async throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            KilledProcessTests.writeUntilKilled(path, milliseconds)
        }
        let log = FileManager.default.contents(atPath: path + "/acknowledged") ?? Data()
        let acknowledged = String(decoding: log, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
        let store = FakeStore()
        let spool = try EventSpool.started(directory, store: store)
        defer { spool.stop() }
        #expect(await eventually { spool.status.events == 0 })
        let committed = store.committed.map(\.low)
        #expect(committed == (0..<UInt64(committed.count)).map { $0 + 1 })
        #expect(!acknowledged.isEmpty)
        #expect(committed.count >= acknowledged.count)
        #expect(spool.status.counts.damagedSegments == 0)
    }

    /// In the child: posts one by one, notes each acknowledgement, and is killed by a timer in the midst of it.
    private static func writeUntilKilled(_ path: String, _ milliseconds: Int) {
        var configuration = SpoolConfiguration(directory: path + "/spool")
        configuration.segmentBytes = 200_000
        let spool = EventSpool(configuration: configuration, logger: Samples.logger, clock: Samples.clock)
        guard (try? spool.start(replayInto: { _, _ in false })) != nil else { exit(1) }
        let log = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for number in 1... {
            let done = DispatchSemaphore(value: 0)
            guard
                spool.append(
                    [Samples.event(number, payloadBytes: number * 7919 % 20_000)],
                    completion: { outcome in
                        guard outcome == .durable else { exit(2) }
                        let line = Array("\(number)\n".utf8)
                        _ = write(log, line, line.count)
                        if number == 1 {
                            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                                kill(getpid(), SIGKILL)
                            }
                        }
                        done.signal()
                    }
                )
            else { exit(3) }
            done.wait()
        }
    }
}
