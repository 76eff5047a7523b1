import JSON
import Testing

@testable import ToolRouter

struct SessionConfigTests {
    private func config(_ text: String) throws -> SessionConfig {
        try SessionConfig(try JSONValue.parse(Array(text.utf8)))
    }

    @Test func toolkitsAsAPlainArray() throws {
        let config = try config(#"{"user_id":"u","toolkits":["Gmail","slack"]}"#)
        #expect(config.userID == "u")
        #expect(config.filter.toolkits == ["gmail", "slack"])
        #expect(config.filter.withoutToolkits.isEmpty)
        #expect(config.managesConnections)
    }

    @Test func rulesOfToolsAndTags() throws {
        let config = try config(
            """
            {"user_id":"u","toolkits":{"disable":["a"],"require_approval":["b"]},"tags":{"enable":["readOnlyHint"]},
            "tools":{"git":{"enable":["git_x"]},"b":{"disable":["B_Y"]},"c":{"tags":{"disable":["openWorldHint"]}}}}
            """
        )
        #expect(config.filter.toolkits == nil)
        #expect(config.filter.withoutToolkits == ["a"])
        #expect(config.approvals.toolkits == ["b"])
        #expect(config.filter.narrowed == ["git"])
        #expect(config.filter.chosen == ["GIT_X"])
        #expect(config.filter.without == ["B_Y"])
        #expect(config.filter.hints?.enabled == ["readOnlyHint"])
        #expect(config.filter.hintsOf["c"]?.disabled == ["openWorldHint"])
    }

    @Test(arguments: [
        "{}", #"{"user_id":""}"#, #"{"user_id":"u","toolkits":7}"#, #"{"user_id":"u","tags":["x"]}"#,
        #"{"user_id":"u","toolkits":{"enable":["a"],"disable":["b"]}}"#, #"{"user_id":"u","tools":[]}"#,
    ])
    func whatIsRefused(_ text: String) {
        #expect(throws: (any Error).self) { try config(text) }
    }
}
