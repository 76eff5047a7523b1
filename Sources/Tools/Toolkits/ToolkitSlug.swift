internal import Signing

/// The names of servers and tools in the tool router: a server is a toolkit. A name is made once and stored. It is
/// never taken apart, and it does not pass to another server or tool.
enum ToolkitSlug {
    /// The tool router's own tools have names that begin with this.
    private static let reserved = "composio"
    private static let tail = 8

    /// The name that a server gets if no other server has it.
    static func plain(_ server: String) -> String {
        let word = letters(server, { ("a"..."z").contains($0) }, ("A"..."Z", 32))
        return word.hasPrefix(reserved) ? "mcp_" + word : word
    }

    /// The name that no other server can have.
    ///
    /// - Parameter id: the server's id.
    static func unique(_ server: String, id: String) -> String { "\(plain(server))_\(hash(id))" }

    /// The part of a tool's name after that of the toolkit, if no other tool of the server has it.
    static func part(_ tool: String) -> String { letters(tool, { ("A"..."Z").contains($0) }, ("a"..."z", -32)) }

    /// The part that no other tool of the server can have.
    static func uniquePart(_ tool: String) -> String { "\(part(tool))_\(part(hash(tool)))" }

    private static func hash(_ text: String) -> String {
        String(Hex.encode(Digest.sha256(Array(text.utf8))).prefix(tail))
    }

    /// - Parameters:
    ///   - isKept: the letters of the case that is kept.
    ///   - other: the letters of the other case, and their distance to those of the case that is kept.
    private static func letters(
        _ text: String,
        _ isKept: (Unicode.Scalar) -> Bool,
        _ other: (range: ClosedRange<Unicode.Scalar>, distance: Int)
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isKept(scalar) || ("0"..."9").contains(scalar) {
                result.append(scalar)
            } else if other.range.contains(scalar),
                let changed = Unicode.Scalar(UInt32(Int(scalar.value) + other.distance))
            {
                result.append(changed)
            } else {
                result.append("_")
            }
        }
        return String(result)
    }
}
