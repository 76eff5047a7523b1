import Testing

@testable import Tools

struct ToolkitSlugTests {
    @Test func namesOfServersAndTools() {
        #expect(ToolkitSlug.plain("My-Server.2") == "my_server_2")
        #expect(ToolkitSlug.part("git_diff-staged.x") == "GIT_DIFF_STAGED_X")
        #expect(ToolkitSlug.plain("naïve Ü") == "na_ve__")
    }

    @Test func noServerTakesTheNamesOfTheRouterItself() {
        #expect(ToolkitSlug.plain("Composio") == "mcp_composio")
        #expect(ToolkitSlug.plain("composio_search") == "mcp_composio_search")
    }

    @Test func aNameThatIsTakenHasATail() {
        let (one, other) = (ToolkitSlug.unique("git", id: "mcp_1"), ToolkitSlug.unique("git", id: "mcp_2"))
        #expect(one != other)
        #expect(one.hasPrefix("git_"))
        #expect(one.utf8.count == 12)
        #expect(ToolkitSlug.uniquePart("a.b") != ToolkitSlug.uniquePart("a_b"))
        #expect(ToolkitSlug.uniquePart("a.b").allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" })
    }
}
