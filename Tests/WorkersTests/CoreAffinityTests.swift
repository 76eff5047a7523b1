import Foundation
import Synchronization
import Testing
import Workers

@Suite struct CoreAffinityTests {
    /// What the kernel says of the calling thread, as `0-3,8`.
    private static func cores() -> String {
        let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        return line?.split(separator: "\t").last.map(String.init) ?? ""
    }

    private func onThread(_ body: @escaping @Sendable () -> String) throws -> String {
        let found = Mutex("")
        try WorkerThread(name: "affinity") {
            let cores = body()
            found.withLock { $0 = cores }
        }.join()
        return found.withLock { $0 }
    }

    @Test func aThreadKeepsToItsCoreAndThreadsItStartsDoNot() throws {
        let before = try onThread(Self.cores)
        let last = try #require(CoreAffinity.ofProcess.last)
        let found = try onThread {
            var all: [String] = []
            try? CoreAffinity.keep(to: last)
            all.append(Self.cores())
            let inner = Mutex("")
            try? WorkerThread(name: "inner") { inner.withLock { $0 = Self.cores() } }.join()
            all += [inner.withLock { $0 }, Self.cores()]
            CoreAffinity.release()
            return (all + [Self.cores()]).joined(separator: " ")
        }
        #expect(found == "\(last) \(before) \(last) \(before)")
        #expect(try onThread(Self.cores) == before)
    }

    @Test func aMissingCoreIsRefusedAndChangesNothing() throws {
        let before = try onThread(Self.cores)
        let found = try onThread {
            var refusals = 0
            for core in [-1, 1023, 1024, Int.max] {
                do throws(CoreAffinity.Refused) {
                    try CoreAffinity.keep(to: core)
                } catch {
                    refusals += error.errorNumber == EINVAL ? 1 : 0
                }
            }
            return "\(refusals) \(Self.cores())"
        }
        #expect(found == "4 \(before)")
    }
}
