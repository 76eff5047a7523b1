internal import JSON
internal import Signing

/// The path of a file in a repository, as bytes: names need not be UTF-8.
package struct GitPath: Sendable, Hashable, Comparable {
    package let bytes: [UInt8]

    /// A path that git has said.
    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// A path that a request names: relative to the repository's root, or `.` for all.
    package init(checking bytes: [UInt8]) throws(GitError) {
        let shown = String(decoding: bytes.prefix(200), as: UTF8.self)
        guard (1...4096).contains(bytes.count), !bytes.contains(0), bytes.first != UInt8(ascii: "/") else {
            throw .invalid("'\(shown)' is not a path within the repository.")
        }
        var parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        for part in parts {
            let name = String(decoding: part, as: UTF8.self)
            guard !part.isEmpty, name != "..", name != "." || parts.count == 1, name.lowercased() != ".git" else {
                throw .invalid("'\(shown)' is not a path within the repository.")
            }
        }
        self.bytes = Array(parts.joined(separator: [UInt8(ascii: "/")]))
    }

    var isAll: Bool { bytes == [UInt8(ascii: ".")] }
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the path is `other` or below it.
    func isWithin(_ other: GitPath) -> Bool {
        other.isAll || bytes == other.bytes
            || bytes.starts(with: other.bytes) && bytes[other.bytes.count] == UInt8(ascii: "/")
    }

    package static func < (one: GitPath, other: GitPath) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    /// Control characters: the target of a request cannot have them.
    private var hasControls: Bool { bytes.contains { $0 < 32 || $0 == 127 } }

    /// The path as text, and beside it its bytes where the text does not say them, or a request cannot have it.
    func members(_ name: String = "path") -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [(name, .string(text))]
        if hasControls || String(validating: bytes, as: UTF8.self) == nil {
            members.append((name + "_b64", .string(Base64.encode(bytes))))
        }
        return members
    }
}

/// Names of branches, remotes and commits in requests.
enum GitName {
    /// A branch, a tag or a remote, as git-check-ref-format(1) has it.
    static func checked(_ name: String, _ what: String) throws(GitError) -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = name.utf8.allSatisfy { $0 > 32 && $0 != 127 && !"~^:?*[\\".utf8.contains($0) }
        let isValid =
            (1...244).contains(name.utf8.count) && isPlain && !name.hasPrefix("-") && !name.hasSuffix(".")
            && !name.contains("..") && !name.contains("@{") && name != "@"
            && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.hasSuffix(".lock") && !$0.hasPrefix("-") }
        guard isValid else { throw .invalid("'\(name.prefix(200))' is not the name of a \(what).") }
        return name
    }

    /// What names a commit. Only its commit id goes to further commands.
    static func revision(_ name: String) throws(GitError) -> String {
        guard (1...256).contains(name.utf8.count), !name.hasPrefix("-"), !name.contains(":"),
            name.utf8.allSatisfy({ $0 > 32 && $0 != 127 })
        else { throw .invalid("'\(name.prefix(200))' does not name a commit.") }
        return name
    }
}
