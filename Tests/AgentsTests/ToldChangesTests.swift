import DatabaseSamples
import EventModel
import JSON
import Persistence
import Testing

@testable import Agents

@Suite("Told changes")
struct ToldChangesTests {
    private let store: TestStore
    private let machine: MachineID

    init() throws {
        store = try TestStore()
        machine = try store.database.makeMachine()
    }

    private func set(_ count: Int, hunks: String = "x") throws -> SessionChangeSet {
        let files = (0..<count).map { number in
            JSONValue.object([
                ("path", .string("file-\(number)")), ("status", .string("added")), ("hunks", .array([.string(hunks)])),
                ("evil", .integer(1)),
            ])
        }
        return try SessionChangeSet(
            .object([
                ("repo_root", .string("/home/dev/app")), ("complete", .bool(true)), ("files", .array(files)),
                ("has_more", .bool(false)), ("evil", .integer(1)),
            ])
        )
    }

    private func told(isKept: Bool = true, mostBytes: Int = 1 << 20) -> ToldChanges {
        ToldChanges(database: store, isKept: isKept, mostBytes: mostBytes)
    }

    private func begin(_ sessions: String...) async throws {
        try await store.append(
            sessions.enumerated().map { number, name in
                makeEvent(id: UInt64(number + 1), machine: machine, session: name)
            }
        )
    }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

    @Test("the last set is known with its age, without contents, and to another server")
    func last() async throws {
        try await begin("one", "two")
        let told = told()
        #expect(try await told.last(of: "one", now: time(0)) == nil)
        await told.note(try set(3), of: "one", now: time(5))
        await told.note(try set(2), of: "one", now: time(10))
        await told.note(try set(4), of: "one", now: time(9))
        let known = try #require(try await self.told().last(of: "one", now: time(73)))
        #expect(known.age == 63)
        #expect(known.set.files.count == 2)
        let names = known.set.files.map { file -> [String] in
            guard case .object(let members) = file else { return [] }
            return members.map(\.0)
        }
        #expect(names == [["path", "status"], ["path", "status"]])
        #expect(try await told.last(of: "two", now: time(73)) == nil)
        await told.forget(["one"])
        #expect(try await told.last(of: "one", now: time(73)) == nil)
    }

    @Test("of a large set the first 200 files are known")
    func large() async throws {
        try await begin("one")
        await told().note(try set(201), of: "one", now: time(0))
        let known = try #require(try await told().last(of: "one", now: time(0))).set
        #expect(known.files.count == 200)
        #expect(known.names(atMost: 200)["has_more"] == .bool(true))
    }

    @Test("a set that is too large takes the place of none")
    func tooLarge() async throws {
        try await begin("one")
        await told().note(try set(1), of: "one", now: time(0))
        let path = String(repeating: "x", count: 300_000)
        let file = JSONValue.object([("path", .string(path)), ("status", .string("added"))])
        let large = try SessionChangeSet(.object([("complete", .bool(true)), ("files", .array([file]))]))
        await told().note(large, of: "one", now: time(1))
        #expect(try await told().last(of: "one", now: time(2)) == nil)
    }

    @Test("the oldest sets give room to new ones")
    func bound() async throws {
        let names = (0..<10).map { "\($0)" }
        for (number, name) in names.enumerated() {
            try await store.append([makeEvent(id: UInt64(number + 1), machine: machine, session: name)])
        }
        let told = told(mostBytes: 5000)
        for (number, name) in names.enumerated() { await told.note(try set(30), of: name, now: time(Int64(number))) }
        let kept = try store.database.texts("SELECT session_id FROM told_changes ORDER BY told_at")
        #expect(kept == Array(names.suffix(kept.count)))
        #expect((1..<10).contains(kept.count))
        #expect(try store.database.integers("SELECT sum(bytes)::bigint FROM told_changes")[0] <= 5000)
    }

    @Test("nothing is kept of a session that the log does not have, nor if names are not stored")
    func notKept() async throws {
        try await begin("one")
        await told().note(try set(1), of: "two", now: time(0))
        await told(isKept: false).note(try set(1), of: "one", now: time(0))
        #expect(try store.database.integers("SELECT count(*) FROM told_changes") == [0])
    }

    @Test("a set is kept as long as its session, and as events at most")
    func retention() async throws {
        try await begin("one", "two", "three")
        for (name, at) in [("one", 10), ("two", 20), ("three", 30)] as [(String, Int64)] {
            await told().note(try set(1), of: name, now: time(at))
        }
        try store.database.execute("DELETE FROM sessions WHERE id = 'three'")
        _ = try store.database.connect().query(ToldChangeStatements.forget, Parameters(of: time(15)))
        #expect(try store.database.texts("SELECT session_id FROM told_changes") == ["two"])
    }
}
