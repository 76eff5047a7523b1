internal import JSON
internal import Tools

/// A tool as the answer to a search has it.
struct FoundTool {
    /// The most bytes of a schema in the answer. Clients ask for larger ones separately.
    private static let mostBytes = 16 << 10
    private static let mostDescription = 1000

    let tool: ToolkitTool

    init(_ tool: ToolkitTool) { self.tool = tool }

    /// - Parameter isCut: whether to leave out a schema that is too large for an answer with many tools.
    func write(to writer: inout JSONWriter, hasInput: Bool = true, hasOutput: Bool = false, isCut: Bool = false) {
        let input = tool.parameters.encoded
        let isWhole = hasInput && (!isCut || input.count <= FoundTool.mostBytes)
        writer.beginObject()
        writer.field("toolkit", tool.toolkit)
        writer.field("tool_slug", tool.slug)
        writer.field("description", String(tool.description.prefix(FoundTool.mostDescription)))
        writer.field("hasFullSchema", isWhole)
        if isWhole {
            writer.field("input_schema", json: input)
        } else if hasInput {
            writer.beginObject("schemaRef")
            writer.field("tool", MetaTool.schemas.rawValue)
            writer.beginObject("args")
            writer.strings("tool_slugs", [tool.slug])
            writer.endObject()
            writer.endObject()
        }
        if hasOutput { writer.field("output_schema", tool.result) }
        writer.endObject()
    }

    /// What is to be done with the tool.
    func step(_ number: Int) -> String {
        let names = tool.required.prefix(20)
        let arguments =
            names.isEmpty ? "It has no required arguments." : "Required arguments: \(names.joined(separator: ", "))."
        return "Required Step \(number): Use \(tool.slug). \(arguments)"
    }
}
