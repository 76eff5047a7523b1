internal import JSON
internal import Tools

/// A tool as answers have it: one of a toolkit, or one of the tool router itself.
struct RouterTool: Sendable {
    static let version = "1"

    var slug: String
    var name: String
    var description: String
    var toolkit: String
    var toolkitName: String
    /// JSON Schema of the arguments.
    var parameters: JSONValue
    var result: JSONValue
    var needsNoLogin: Bool
    var tags: [String]

    init(_ tool: ToolkitTool, needsNoLogin: Bool = true) {
        (slug, toolkit, toolkitName) = (tool.slug, tool.toolkit, tool.server)
        (name, description) = (tool.title ?? tool.name, tool.description)
        (parameters, result, tags) = (tool.parameters, tool.result, tool.hints)
        self.needsNoLogin = needsNoLogin
    }

    init(meta tool: MetaTool) {
        (slug, name, description) = (tool.rawValue, tool.title, tool.summary)
        (toolkit, toolkitName) = ("composio", "Tool router")
        (parameters, result, tags, needsNoLogin) = (tool.parameters, .object([]), [], true)
    }

    private static let toolkitShape = ObjectShape<RouterTool> { it in
        it.member("slug") { $0.toolkit }
        it.member("name") { $0.toolkitName }
        it.member("logo") { _ in "" }
    }

    static let shape = ObjectShape<RouterTool>("RouterTool") { it in
        it.member("slug") { $0.slug }
        it.member("name") { $0.name }
        it.member("description") { $0.description }
        it.object("toolkit", toolkitShape) { $0 }
        it.member("input_parameters") { $0.parameters }
        it.member("output_parameters") { $0.result }
        it.member("no_auth") { $0.needsNoLogin }
        it.member("available_versions") { _ in [version] }
        it.member("version") { _ in version }
        it.member("scopes") { _ in [String]() }
        it.member("tags") { $0.tags }
        it.member("is_deprecated") { _ in false }
        it.object("deprecated") { it in
            it.member("displayName") { $0.name }
            it.member("version") { _ in version }
            it.member("available_versions") { _ in [version] }
            it.member("is_deprecated") { _ in false }
            it.object("toolkit") { it in it.member("logo") { _ in "" } }
        }
    }
}
