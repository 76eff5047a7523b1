import DatabaseSamples
import Testing

@testable import Persistence

@Suite("Requests stored by their ids alone")
struct RequestIdentityTests {
    private func request(_ key: String, id: String?, message: String?, machine: Int, rank: Int, sources: Int = 2)
        -> String
    {
        let (id, message) = (id.map { "'\($0)'" } ?? "NULL", message.map { "'\($0)'" } ?? "NULL")
        return """
            INSERT INTO usage_requests (key, session_id, machine_id, request_id, message_id, at, input_tokens,
                output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cost, is_estimate,
                sources, rank, first_seq)
            VALUES ('\(key)', 's', \(machine), \(id), \(message), now(), \(rank), 0, 0, 0, 0, 1, 0, \(sources), \(rank),
                \(rank));
            """
    }

    @Test("keep one row of each key that they get, with the most tokens")
    func distinct() throws {
        let database = try TestDatabase(migrated: false)
        try database.migrate(before: "_request_identity.sql")
        let requests = [
            // Two that become one.
            request("r:A", id: "A", message: "B C", machine: 1, rank: 5),
            request("r:A B", id: "A B", message: "C", machine: 1, rank: 7),
            // One that becomes what the other was, on one machine.
            request("r:D", id: "D", message: "E", machine: 1, rank: 1),
            request("r:D E", id: "D E", message: "F", machine: 1, rank: 2),
            // The same key on two machines, of telemetry, and without a request id.
            request("r:G", id: "G", message: "H I", machine: 1, rank: 3),
            request("r:G H", id: "G H", message: "I", machine: 2, rank: 4),
            request("r:J", id: "J", message: nil, machine: 1, rank: 1, sources: 1),
            request("m:s K", id: nil, message: "K", machine: 1, rank: 1),
        ]
        let copies = """
            INSERT INTO usage_copies VALUES ('s', 'r:A', 9), ('s', 'r:A B', 8), ('t', 'r:A B', 7), ('s', 'r:gone', 1);
            """
        try database.execute(requests.joined() + copies)
        let applied = try Migrator(configuration: database.configuration, logger: quiet).run()
        #expect(applied.first?.hasSuffix("_request_identity.sql") ?? false)
        let found = try database.texts(
            "SELECT key || '|' || machine_id || '|' || rank FROM usage_requests ORDER BY key, machine_id"
        )
        #expect(
            found == [
                "m:s K|1|1", "r:A B C|1|7", "r:D E|1|1", "r:D E F|1|2", "r:G H I|1|3", "r:G H I|2|4", "r:J :|1|1",
            ]
        )
        let copied = try database.texts(
            "SELECT session_id || '|' || key || '|' || machine_id || '|' || first_seq FROM usage_copies ORDER BY 1"
        )
        #expect(copied == ["s|r:A B C|1|8", "s|r:gone|0|1", "t|r:A B C|1|7"])
    }
}
