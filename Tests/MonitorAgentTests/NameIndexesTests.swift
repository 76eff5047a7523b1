import Foundation
import Synchronization
import Testing

@testable import MonitorAgent
@testable import WorkspaceFiles

@Suite struct NameIndexesTests {
    private static let patience = ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap { Double($0) } ?? 20

    private final class Builds: Sendable {
        let count = Mutex(0)
    }

    @Test func thoseThatSearchAtTheSameTimeShareOneIndex() async {
        let indexes = NameIndexes()
        let builds = Builds()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    _ = await indexes.index(of: Array("/home".utf8)) {
                        builds.count.withLock { $0 += 1 }
                        return NameIndex()
                    }
                }
            }
        }
        #expect(builds.count.withLock { $0 } == 1)
        #expect(await indexes.count == 1)
    }

    @Test func anIndexThatNobodyUsesIsDropped() async throws {
        let indexes = NameIndexes(idleSeconds: 0.2)
        _ = await indexes.index(of: Array("/home".utf8)) { NameIndex() }
        #expect(await indexes.count == 1)
        let end = Date(timeIntervalSinceNow: NameIndexesTests.patience)
        while await indexes.count > 0, Date() < end { try await Task.sleep(for: .milliseconds(10)) }
        #expect(await indexes.count == 0)
    }

    @Test func allOfThemHaveABound() async {
        let indexes = NameIndexes()
        for name in ["a", "b", "c"] {
            _ = await indexes.index(of: Array(name.utf8)) {
                var index = NameIndex()
                index.add(directory: [])
                index.add([UInt8](repeating: 1, count: 25 << 20))
                return index
            }
        }
        // Each takes 50 MB, so that two have room.
        #expect(await indexes.count == 2)
    }
}
