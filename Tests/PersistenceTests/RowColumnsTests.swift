import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite struct RowColumnsTests {
    private struct Item {
        var id: Int64
        var name: String?
        var isOpen: Bool
        var at: Timestamp
        var type: EventType
    }

    private let columns = RowColumns<Item>()
        .column("id", \.id).column("name", \.name).column("is_open", \.isOpen).column("at", \.at)
        .column("type", \.type)

    @Test func typesNamesAndParametersAreOfTheSameColumns() throws {
        #expect(columns.types == [.int8Array, .textArray, .boolArray, .timestamptzArray, .textArray])
        #expect(columns.names == "id, name, is_open, at, type")
        #expect(columns.unnest("i", from: 2) == "unnest($2, $3, $4, $5, $6) AS i (id, name, is_open, at, type)")
    }

    @Test func rowsArriveWithOtherParametersAroundThem() throws {
        let statement = Statement(
            "items",
            [.text] + columns.types + [.int8],
            """
            SELECT string_agg(concat_ws('/', id, name, is_open, extract(epoch FROM at)::bigint, type, $1, $7), ' '
                ORDER BY id)
            FROM \(columns.unnest("i", from: 2))
            """
        )
        let items = [
            Item(id: 1, name: "a", isOpen: true, at: Timestamp(microseconds: 5_000_000), type: .prompt),
            Item(id: 2, name: nil, isOpen: false, at: Timestamp(microseconds: 0), type: .tool),
        ]
        let connection = try TestDatabase(migrated: false).connect()
        let parameters = Parameters(of: "x", columns.arrays(items), Int64(9))
        #expect(try connection.query(statement, parameters).firstValue() == "1/a/t/5/prompt/x/9 2/f/0/tool/x/9")
        let none = Parameters(of: "x", columns.arrays([]), Int64(9))
        #expect(try connection.query(statement, none).firstValue() == String?.none)
    }
}
