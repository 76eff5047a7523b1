package import API
package import JSON

/// What a session has changed, for its export. The machine's agent keeps it.
package struct ExportedChanges: Sendable {
    private let read: @Sendable (_ session: String, Responder) async -> JSONValue?

    /// - Parameter read: returns `nil` if nobody knows.
    package init(_ read: @escaping @Sendable (_ session: String, Responder) async -> JSONValue?) {
        self.read = read
    }

    func of(_ session: String, for responder: Responder) async -> JSONValue? { await read(session, responder) }

    /// The list as text for people, one file a line.
    static func text(of changes: JSONValue) -> String {
        let lines = (changes["files"]?.array ?? []).map { file -> String in
            let names = ["old_path", "path"].compactMap { file[$0]?.string }.joined(separator: " => ")
            let counts = [("additions", "+"), ("deletions", "-")].compactMap { name, sign in
                file[name]?.integer.map { " \(sign)\($0)" }
            }
            return "\(file["status"]?.string ?? "") \(names)\(counts.joined())"
        }
        let reason = changes["reason"]?.string.map { ["Not complete: \($0)"] } ?? []
        return (reason + lines + (changes["has_more"]?.bool == true ? ["…"] : [])).joined(separator: "\n")
    }
}
