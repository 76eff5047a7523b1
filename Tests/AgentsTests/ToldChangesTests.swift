import EventModel
import JSON
import Testing

@testable import Agents

@Suite("Told changes")
struct ToldChangesTests {
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

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

    @Test("the last set is known with its age, without contents")
    func last() throws {
        let told = ToldChanges()
        #expect(told.last(of: "one", now: time(0)) == nil)
        told.note(try set(3), of: "one", now: time(5))
        told.note(try set(2), of: "one", now: time(10))
        let known = try #require(told.last(of: "one", now: time(73)))
        #expect(known.age == 63)
        #expect(known.set.files.count == 2)
        let names = known.set.files.map { file -> [String] in
            guard case .object(let members) = file else { return [] }
            return members.map(\.0)
        }
        #expect(names == [["path", "status"], ["path", "status"]])
        #expect(told.last(of: "two", now: time(73)) == nil)
        told.forget(["one"])
        #expect(told.last(of: "one", now: time(73)) == nil)
    }

    @Test("of a large set the first 200 files are known")
    func large() throws {
        let told = ToldChanges()
        told.note(try set(201), of: "one", now: time(0))
        let known = try #require(told.last(of: "one", now: time(0))).set
        #expect(known.files.count == 200)
        #expect(known.names(atMost: 200)["has_more"] == .bool(true))
    }

    @Test("the oldest sets give room to new ones")
    func bound() throws {
        let told = ToldChanges(mostBytes: 5000)
        for number in 0..<10 { told.note(try set(30), of: "\(number)", now: time(Int64(number))) }
        let known = (0..<10).filter { told.last(of: "\($0)", now: time(20)) != nil }
        #expect(known == Array((10 - known.count)..<10))
        #expect((1..<10).contains(known.count))
    }
}
