import Foundation
import Testing

@testable import monitorctl

@Suite(.timeLimit(.minutes(5)))
struct EventsCommandTests {
    private let monitor = StandInMonitor()

    private func seqs(_ lines: [String]) throws -> [Int64] {
        try lines.map { try ServerJSON.decode(EventLine.self, Data($0.utf8)).seq }
    }

    @Test func lastEventsAscendAsTheServerWroteThem() async throws {
        monitor.append(5)
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["events", "--last", "2", "--json"], url: server.url)
        #expect(run.out == monitor.state.withLock { Array($0.log.suffix(2)) })
    }

    @Test func sinceReadsEveryPage() async throws {
        monitor.append(450)
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["events", "--since", "e1:3", "--json"], url: server.url)
        #expect(try seqs(run.out) == Array(4...450))
        let other = try await ProgramRun.finish(["events", "--since", "e0:3"], url: server.url)
        #expect(other.status == 1)
        #expect(other.err.contains("has a new log"))
    }

    @Test(arguments: [true, false])
    func followGoesOnAcrossLostConnections(_ pagesNameTheEpoch: Bool) async throws {
        monitor.update { [pagesNameTheEpoch] in
            $0.namesEpochInPages = pagesNameTheEpoch
            $0.eventsPerStream = 7
        }
        monitor.append(12)
        let server = try monitor.serve()
        let run = try ProgramRun(["events", "--follow", "--last", "4", "--json"], url: server.url)
        #expect(try seqs(await run.lines(4)) == [9, 10, 11, 12])
        monitor.append(10)
        #expect(try seqs(await run.lines(10)) == Array(13...22))
        run.interrupt()
        #expect(await run.exitStatus() == 0)
        #expect(run.errorText.contains("reconnecting"))
        #expect(monitor.state.withLock { $0.resumedFrom }.contains("e1:19"))
    }

    @Test func followOutlivesABusyServerButNotARefusal() async throws {
        monitor.update { $0.eventsPerStream = 1 }
        let server = try monitor.serve()
        let run = try ProgramRun(["events", "-f", "--since", "e1:0", "--json"], url: server.url)
        while monitor.state.withLock({ $0.resumedFrom }).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        // Before the first stream ends: the next attempts meet them.
        monitor.update { $0.streamFaults = [503, 403] }
        monitor.append(1)
        #expect(try seqs(await run.lines(1)) == [1])
        #expect(await run.lines(1) == [])
        #expect(await run.exitStatus() == 1)
        #expect(run.errorText.contains("403"))
    }

    @Test func resetIsTold() async throws {
        monitor.append(3)
        let server = try monitor.serve()
        let run = try ProgramRun(["events", "-f", "--since", "e0:900", "--json"], url: server.url)
        while monitor.state.withLock({ $0.resumedFrom }).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        while !run.errorText.contains("missed") { try await Task.sleep(for: .milliseconds(5)) }
        monitor.append(1)
        #expect(try seqs(await run.lines(1)) == [4])
        run.interrupt()
        #expect(await run.exitStatus() == 0)
    }

    /// Nobody reads stdout until the server has had to hand out more than the program may hold.
    @Test func slowReaderLosesNothing() async throws {
        let server = try monitor.serve()
        let run = try ProgramRun(["events", "-f", "--since", "e1:0", "--json"], url: server.url)
        monitor.append(3 * EventStream.bufferLimit / 4096, padding: 4096)
        while monitor.state.withLock({ $0.dropped }) == 0 {
            monitor.append(1)
            try await Task.sleep(for: .milliseconds(5))
        }
        let count = monitor.state.withLock { $0.log.count }
        #expect(try seqs(await run.lines(count)) == Array(1...Int64(count)))
        #expect(monitor.state.withLock { $0.resumedFrom.count } > 1)
        run.interrupt()
        #expect(await run.exitStatus() == 0)
    }
}
