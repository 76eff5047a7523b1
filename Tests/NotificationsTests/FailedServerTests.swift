import EventModel
import Testing

@testable import Notifications

@Suite("MCP servers that fail")
struct FailedServerTests {
    private let began = Timestamp(microseconds: 1_767_607_200_000_000)

    private func server(_ id: String = "mcp_1", failedAt: Timestamp? = nil, reason: String? = nil) -> FailedServer {
        FailedServer(id: id, name: "git", machineName: "desk", reason: reason, failedAt: failedAt ?? began)
    }

    @Test("one failure is one notice, whenever it is seen")
    func key() throws {
        let first = try #require(server().notice(at: began)?.notification)
        let later = try #require(server().notice(at: began.adding(seconds: 60))?.notification)
        #expect(first.key == later.key && first.expiresAt == later.expiresAt)
        let minute = began.adding(seconds: 60)
        let next = try #require(server(failedAt: minute).notice(at: minute)?.notification)
        #expect(next.key != first.key && next.collapseID == first.collapseID)
        let other = try #require(server("mcp_2").notice(at: began)?.notification)
        #expect(other.key != first.key && other.collapseID != first.collapseID)
    }

    @Test("what has failed for long is no news")
    func old() {
        #expect(server().notice(at: began.adding(seconds: 2 * 3600 - 1)) != nil)
        #expect(server().notice(at: began.adding(seconds: 2 * 3600)) == nil)
    }

    @Test("the text names the server, its machine and the reason")
    func text() throws {
        let text = NotificationText(try #require(server(reason: "exit status 3").notice(at: began)?.notification))
        #expect(text.title == "The MCP server git fails" && text.body == "On desk: exit status 3")
        #expect(NotificationText(try #require(server().notice(at: began)?.notification)).body == "On desk")
    }
}
