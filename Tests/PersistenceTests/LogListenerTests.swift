import DatabaseSamples
import Synchronization
import Testing

@testable import Persistence

@Suite struct LogListenerTests {
    @Test func anErasureIsAssumedAfterTheConnectionWasLost() async throws {
        let database = try TestDatabase()
        let notices = Mutex<[LogNotice]>([])
        let listener = LogListener(configuration: database.configuration)
        try listener.start { notice in notices.withLock { $0.append(notice) } }
        while try database.integers("SELECT count(*) \(listening)") != [1] { await Task.yield() }
        try database.execute("SELECT pg_notify('\(LogNotice.channel)', 'changed one')")
        while notices.withLock({ $0.isEmpty }) { await Task.yield() }
        try database.execute("SELECT pg_terminate_backend(pid, 5000) \(listening)")
        while notices.withLock({ $0.count }) < 2 { await Task.yield() }
        #expect(notices.withLock { $0 } == [.changed("one"), .erased(sessions: [])])
        listener.stop()
    }

    private let listening = """
        FROM pg_stat_activity
        WHERE query = 'LISTEN \(LogNotice.channel)' AND state = 'idle' AND datname = current_database()
        """
}
