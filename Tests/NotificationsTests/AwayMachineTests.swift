import EventModel
import Testing

@testable import Notifications

@Suite("Machines that are away")
struct AwayMachineTests {
    private let since = Timestamp(microseconds: 1_800_000_000_000_000)

    @Test("one absence has one notice, another absence another one in its place")
    func keys() throws {
        let machine = AwayMachine(name: "laptop", since: since, sessions: 2)
        let first = try #require(machine.notice(at: since.adding(seconds: 300))?.notification)
        let again = try #require(machine.notice(at: since.adding(seconds: 900))?.notification)
        #expect(first.key == again.key)
        #expect(first.key.utf8.count <= 64)
        #expect(!first.key.contains("laptop"))
        let later = AwayMachine(name: "laptop", since: since.adding(seconds: 1000), sessions: 2)
        let next = try #require(later.notice(at: since.adding(seconds: 1300))?.notification)
        #expect(next.key != first.key)
        #expect(next.collapseID == first.collapseID)
        #expect(first.expiresAt == since.adding(seconds: 7200))
        #expect(machine.notice(at: since.adding(seconds: 7200)) == nil)
    }

    @Test("the words name the machine, and how many sessions were at work")
    func words() throws {
        for (sessions, body) in [(1, "1 session was at work."), (3, "3 sessions were at work.")] {
            let machine = AwayMachine(name: "laptop", since: since, sessions: sessions)
            let text = NotificationText(try #require(machine.notice(at: since.adding(seconds: 300))?.notification))
            #expect(text.title == "laptop is offline")
            #expect(text.body == body)
            #expect(text.bodyKey == "push.machine_offline.body")
            #expect(text.bodyArguments == [String(sessions)])
        }
    }
}
