import DatabaseSamples
import EventModel
import Foundation
import Testing

@testable import Persistence

@Suite struct PQConnectionTests {
    @Test func everyTypeSurvivesTheRoundTrip() throws {
        let connection = try TestDatabase(migrated: false).connect()
        let statement = Statement(
            "echo",
            [.int8, .float8, .bool, .text, .bytea, .uuid, .timestamptz],
            "SELECT $1, $2, $3, $4, $5, $6, $7"
        )
        let id = EventID(high: 0xFEDC_BA98_7654_3210, low: 0x8123_4567_89AB_CDEF)
        let time = Timestamp(microseconds: -1)
        let parameters = Parameters(
            of: Int64.min,
            -0.1,
            true,
            "naïve \u{1F600}",
            RawBytes(bytes: [0, 255, 1]),
            id,
            time
        )
        let row = try #require(try connection.query(statement, parameters).firstRow)
        let (number, real, flag, text): (Int64, Double, Bool, String) = try row.values()
        #expect((number, real, flag, text) == (.min, -0.1, true, "naïve \u{1F600}"))
        let (bytes, readID, readTime): ([UInt8], EventID, Timestamp) = try row.values(from: 4)
        #expect((bytes, readID, readTime) == ([0, 255, 1], id, time))
    }

    @Test func arraysKeepOrderNullsAndEmptiness() throws {
        let connection = try TestDatabase(migrated: false).connect()
        let statement = Statement(
            "arrays",
            [.textArray, .int8Array],
            "SELECT coalesce(array_to_string($1, ',', '-'), ''), coalesce(cardinality($2), 0)::bigint"
        )
        let parameters = Parameters(of: ["a", nil, "", "b"] as [String?], [Int64]())
        let row = try #require(try connection.query(statement, parameters).firstRow)
        let (text, count): (String, Int64) = try row.values()
        #expect((text, count) == ("a,-,,b", 0))
    }

    @Test func emptyTextIsNotNull() throws {
        let connection = try TestDatabase(migrated: false).connect()
        let parameters = Parameters(of: "", String?.none)
        let statement = Statement("empty", [.text, .text], "SELECT $1 IS NULL, $2 IS NULL")
        let row = try #require(try connection.query(statement, parameters).firstRow)
        let nulls: (Bool, Bool) = try row.values()
        #expect(nulls == (false, true))
    }

    @Test func failedPipelineNamesItsFirstErrorAndLeavesAUsableConnection() throws {
        let connection = try TestDatabase(migrated: false).connect()
        let one = Statement("one", "SELECT 1::bigint")
        let broken = Statement("broken", [.int8], "SELECT 1 / $1")
        let zero = Parameters(of: Int64(0))
        let error = #expect(throws: PersistenceError.self) {
            try connection.pipeline([(one, Parameters()), (broken, zero), (one, Parameters())])
        }
        #expect(error?.sqlState == SQLState("22012"))
        #expect(error?.detail == "broken failed")
        let results = try connection.pipeline([(one, Parameters()), (one, Parameters())])
        #expect(try results.map { try $0.firstValue() } == [Int64(1), 1])
        #expect(try connection.query(one).firstValue() == Int64(1))
    }

    /// More than socket buffers hold in both directions at once: neither side may wait for the other for ever.
    @Test func bigParametersAndBigResultsDoNotBlockEachOther() throws {
        let connection = try TestDatabase(migrated: false).connect()
        let echo = Statement("echo", [.text], "SELECT $1")
        let text = String(repeating: "0123456789abcdef", count: 1 << 17)
        let parameters = Parameters(of: text)
        let results = try connection.pipeline(Array(repeating: (echo, parameters), count: 8))
        for result in results { #expect(try result.firstValue() == text) }
    }

    @Test func serverThatDoesNotAnswerIsGivenUp() throws {
        let database = try TestDatabase(migrated: false)
        let connection = try PQConnection(
            conninfo: database.conninfo,
            applicationName: "test",
            replyTimeoutMilliseconds: 50
        )
        let error = #expect(throws: PersistenceError.self) {
            try connection.execute("SELECT pg_sleep(20)", as: "sleep")
        }
        #expect(error?.kind == .timedOut)
        #expect(error?.isConnectionLost == true)
    }

    @Test func attemptToConnectEndsIfItsCallerGivesUp() throws {
        // The backlog accepts the connection, and nothing answers it.
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        let bound = withUnixAddress(of: directory + "/.s.PGSQL.5432") { bind(listener, $0, $1) }
        try #require(bound == 0 && listen(listener, 4) == 0)
        let error = #expect(throws: PersistenceError.self) {
            _ = try PQConnection(conninfo: "host=\(directory)", applicationName: "test", shouldGiveUp: { true })
        }
        #expect(error?.kind == .stopped)
    }

    @Test func hangUpIsNoticedWithoutARoundTrip() throws {
        let database = try TestDatabase(migrated: false)
        let connection = try PQConnection(conninfo: database.conninfo, applicationName: "victim")
        #expect(!connection.isClosedByServer())
        try database.terminate("victim")
        #expect(connection.isClosedByServer())
        let error = #expect(throws: PersistenceError.self) { try connection.execute("SELECT 1", as: "test") }
        #expect(error?.isConnectionLost == true)
    }

    private enum Side: String, PGColumn { case left, right }

    @Test func fieldOfAnotherTypeIsAMalformedReply() throws {
        let connection = try TestDatabase(migrated: false).connect()
        let row = try #require(try connection.query(Statement("text", "SELECT 'abc'")).firstRow)
        #expect(throws: PersistenceError.self) { let _: Int64 = try row.value() }
        #expect(throws: PersistenceError.self) { let _: EventID = try row.value() }
        #expect(throws: PersistenceError.self) { let _: Side = try row.value() }
    }
}
