import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

/// Rows read as tuples and as types of several columns.
@Suite struct TypedRowTests {
    private func row(_ columns: String) throws -> PQRow {
        let statement = Statement("typed", "SELECT \(columns)")
        return try #require(try TestDatabase(migrated: false).connect().query(statement).firstRow)
    }

    @Test func columnsArePassedInTheirOrder() throws {
        let made = try row("7::bigint, NULL::text, 'b'").make { (id: MachineID, first: String?, second: String) in
            "\(id.rawValue) \(first ?? "none") \(second)"
        }
        #expect(made == "7 none b")
    }

    @Test func aTypeOfSeveralColumnsMovesTheNextOne() throws {
        let columns = "1::bigint, 2::bigint, 3::bigint, 4::bigint, 'after'"
        let (usage, after): (TokenUsage, String) = try row(columns).values()
        #expect(usage == TokenUsage(input: 1, output: 2, cacheRead: 3, cacheCreation: 4))
        #expect(after == "after")
    }

    @Test func aMissingRowOfAnOuterJoinIsNil() throws {
        let columns = "NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, 'after'"
        let (usage, after): (TokenUsage?, String) = try row(columns).values()
        #expect(usage == nil)
        #expect(after == "after")
    }

    @Test func nullWhereAValueIsRequiredIsAMalformedReply() throws {
        let row = try row("NULL::text")
        #expect(throws: PersistenceError.self) { let _: String = try row.value() }
    }

    @Test func aFirstValueThatIsNullIsNone() throws {
        let connection = try TestDatabase(migrated: false).connect()
        let value: Timestamp? = try connection.query(Statement("none", "SELECT NULL::timestamptz")).firstValue()
        #expect(value == nil)
    }
}
