package import JSON

/// The tools of an MCP server, as far as they fit.
package struct ToolList: Sendable, Equatable {
    package static let mostTools = 500
    /// Bytes of all definitions.
    package static let mostBytes = 256 << 10
    static let mostPages = 50
    /// Levels of objects and lists in one definition: a message to the server has a bound, too.
    static let mostLevels = 32

    /// As the server defines them, with the members that matter and no others.
    package private(set) var tools: [JSONValue] = []
    /// Some tools are missing: they were too many, too long, or had names that are not allowed.
    package internal(set) var isComplete = true
    private var bytes = 0
    private var names: Set<String> = []

    package init() {}

    private static let members = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"]

    var isFull: Bool { tools.count >= ToolList.mostTools }

    mutating func add(_ tool: JSONValue) {
        let kept = JSONValue.object(
            ToolList.members.compactMap { name in
                tool[name].flatMap { $0 == .null ? nil : (name, $0) }
            }
        )
        var writer = JSONWriter()
        writer.value(kept)
        let size = writer.bytes.count
        guard let name = tool["name"]?.string, ToolList.isName(name), !names.contains(name), !isFull,
            bytes + size <= ToolList.mostBytes, ToolList.isFlat(kept, levels: ToolList.mostLevels)
        else {
            isComplete = false
            return
        }
        names.insert(name)
        bytes += size
        tools.append(kept)
    }

    private static func isFlat(_ value: JSONValue, levels: Int) -> Bool {
        switch value {
        case .array(let values): levels > 0 && values.allSatisfy { isFlat($0, levels: levels - 1) }
        case .object(let members): levels > 0 && members.allSatisfy { isFlat($0.1, levels: levels - 1) }
        default: true
        }
    }

    /// What the protocol allows.
    package static func isName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
