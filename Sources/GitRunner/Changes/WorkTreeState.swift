internal import JSON
internal import Signing

/// The state of a work tree at a time: a tree of git. Its objects that the repository does not have are in a directory
/// of the agent's own.
struct WorkTreeState: Sendable, Equatable {
    /// Names the state and its directory.
    var id: String
    /// Milliseconds since 1970.
    var takenAt: Int64
    var tree: String
    var branch: String?
    var commit: String?
    /// Files whose contents are not kept, because they are too large or not shown.
    var unsaved: Set<GitPath> = []
    /// Some of `unsaved` are too large.
    var isTooLarge = false
    /// More files had changed than are looked at.
    var isCut = false
    /// Bytes of the contents that are kept.
    var bytes = 0

    var directory: String { "state-" + id }

    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .string(id)), ("taken_at", .integer(takenAt)), ("tree", .string(tree)),
            ("unsaved", .array(unsaved.sorted().map { .string(Base64.encode($0.bytes)) })),
            ("is_too_large", .bool(isTooLarge)), ("is_cut", .bool(isCut)), ("bytes", .integer(Int64(bytes))),
        ]
        if let branch { members.append(("branch", .string(branch))) }
        if let commit { members.append(("commit", .string(commit))) }
        return .object(members)
    }

    init(id: String, takenAt: Int64, tree: String) { (self.id, self.takenAt, self.tree) = (id, takenAt, tree) }

    init?(_ json: JSONValue?) {
        guard let json, let id = json["id"]?.string, WorkTreeState.isID(id), let tree = json["tree"]?.string,
            tree.utf8.count >= 40, tree.utf8.allSatisfy({ WorkTreeState.isDigit($0) })
        else { return nil }
        (self.id, self.tree, takenAt) = (id, tree, json["taken_at"]?.integer ?? 0)
        (branch, commit) = (json["branch"]?.string, json["commit"]?.string)
        let paths = (json["unsaved"]?.array ?? []).compactMap { $0.string.flatMap { Base64.decode($0) } }
        unsaved = Set(paths.map { GitPath($0) })
        isTooLarge = json["is_too_large"]?.bool ?? false
        isCut = json["is_cut"]?.bool ?? false
        bytes = Int(json["bytes"]?.integer ?? 0)
    }

    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return Hex.encode((0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    static func isID(_ text: String) -> Bool { text.utf8.count == 16 && text.utf8.allSatisfy(isDigit) }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
