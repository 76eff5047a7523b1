internal import JSON

/// The tools that a remote server lists, page by page, within bounds. What is beyond them is left out. Pure.
struct RemoteListing: Sendable {
    static let mostPages = 50
    static let mostTools = 500
    /// Bytes of one definition, and of all.
    static let mostBytesOfOne = 64 << 10
    static let mostBytes = 1 << 20
    /// Levels of nested values in one definition.
    static let mostLevels = 24

    private(set) var tools: [ToolDefinition] = []
    /// Nothing was left out.
    var isComplete = true
    private var bytes = 0
    private var pages = 0
    private var names: Set<String> = []
    private var cursors: Set<String> = []

    /// - Returns: the cursor of the next page; `nil` if there is none.
    mutating func add(page: JSONValue) throws(RemoteFault) -> String? {
        guard let told = page["tools"]?.array else { throw .malformed("the server's list of tools is none") }
        pages += 1
        for tool in told { add(tool) }
        guard let next = page["nextCursor"], next != .null else { return nil }
        // A cursor that comes again would lead around in a circle.
        guard let cursor = next.string, cursor.utf8.count <= 4096, cursors.insert(cursor).inserted,
            pages < RemoteListing.mostPages, tools.count < RemoteListing.mostTools, bytes < RemoteListing.mostBytes
        else {
            isComplete = false
            return nil
        }
        return cursor
    }

    private mutating func add(_ told: JSONValue) {
        let size = told.isWithin(levels: RemoteListing.mostLevels) ? told.encoded.count : .max
        guard size <= RemoteListing.mostBytesOfOne, bytes + size <= RemoteListing.mostBytes,
            tools.count < RemoteListing.mostTools, let tool = ToolDefinition(told),
            MirroredArguments(tool.parameters) != nil, names.insert(tool.name).inserted
        else {
            isComplete = false
            return
        }
        bytes += size
        tools.append(tool)
    }
}

extension JSONValue {
    fileprivate func isWithin(levels: Int) -> Bool {
        switch self {
        case .array(let values): levels > 0 && values.allSatisfy { $0.isWithin(levels: levels - 1) }
        case .object(let members): levels > 0 && members.allSatisfy { $0.1.isWithin(levels: levels - 1) }
        case .null, .bool, .integer, .number, .string: true
        }
    }
}
