internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// A session's change set as clients get it, from the agent's answer.
struct SessionChangeSet: Sendable {
    private let answer: JSONValue
    private static let times = ["taken_at", "session_started_at"]
    /// The members of a file that tell no content.
    private static let names: Set<String> = [
        "path", "path_b64", "old_path", "old_path_b64", "status", "additions", "deletions", "binary", "old_mode",
        "new_mode", "is_sensitive", "is_submodule", "is_symlink", "is_unsaved",
    ]
    private static let contents: Set<String> = ["header", "hunks", "is_truncated", "next_offset"]
    /// The end of the year 9999.
    private static let lastMillisecond: Int64 = 253_402_300_799_999

    init(_ answer: JSONValue) throws(APIError) {
        guard answer["files"]?.array?.allSatisfy(\.isObject) == true, answer["complete"]?.bool != nil else {
            throw AgentRefusal.malformed
        }
        for state in ["base", "end"] {
            for name in SessionChangeSet.times {
                guard let value = answer[state]?[name], value != .null else { continue }
                guard SessionChangeSet.time(value) != nil else { throw AgentRefusal.malformed }
            }
        }
        self.answer = answer
    }

    var baseTime: Timestamp? { SessionChangeSet.time(answer["base"]?["taken_at"]) }
    var endID: String? { answer["end"]?["id"]?.string }
    var files: [JSONValue] { answer["files"]?.array ?? [] }
    var nextSkip: Int64? {
        answer["next_cursor"]?.string?.split(separator: ".").last.flatMap { Int64($0) }
    }
    /// The repository's root by each of its names.
    var roots: [String] { ["repo_root", "named_root"].compactMap { answer[$0]?.string } }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        guard let milliseconds = value?.integer, (0...lastMillisecond).contains(milliseconds) else { return nil }
        return Timestamp(microseconds: milliseconds * 1000)
    }

    /// - Parameter hasContent: whether the client has asked for more than names and counts, and may see it.
    func json(session: String, _ authors: ChangeAuthors, hasContent: Bool) -> JSONValue {
        let left = SessionChangeSet.names.union(hasContent ? SessionChangeSet.contents : [])
        let files = self.files.map { file -> JSONValue in
            guard case .object(let members) = file else { return file }
            let paths = ["path", "old_path"].compactMap { file[$0]?.string }
            let author = authors.author(of: paths).rawValue
            return .object(members.filter { left.contains($0.0) } + [("by", .string(author))])
        }
        var members: [(String, JSONValue)] = [
            ("session_id", .string(session)), ("repo_root", answer["repo_root"] ?? .null),
            ("base", SessionChangeSet.state(answer["base"])), ("end", SessionChangeSet.state(answer["end"])),
        ]
        for name in ["complete", "reason", "totals"] { members.append((name, answer[name] ?? .null)) }
        members.append(("files", .array(files)))
        for name in ["has_more", "next_cursor"] { members.append((name, answer[name] ?? .null)) }
        return .object(members)
    }

    /// Times as texts.
    private static func state(_ state: JSONValue?) -> JSONValue {
        guard case .object(let members)? = state else { return .null }
        return .object(
            members.map { name, value in
                guard times.contains(name), let time = time(value) else {
                    return (name, value)
                }
                return (name, .string(time.description))
            }
        )
    }

    /// The set without contents, with its first files.
    func names(atMost limit: Int) -> JSONValue {
        let kept = files.prefix(limit).map { file -> JSONValue in
            guard case .object(let members) = file else { return file }
            return .object(members.filter { SessionChangeSet.names.contains($0.0) })
        }
        let hasMore = files.count > limit || answer["has_more"]?.bool == true
        let states = ["repo_root", "named_root", "base", "end", "complete", "reason", "totals"].compactMap { name in
            answer[name].map { (name, $0) }
        }
        return .object(states + [("files", .array(kept)), ("has_more", .bool(hasMore))])
    }

    /// The file as git's diffs show one: a patch in one text.
    static func patch(_ file: JSONValue) -> String {
        (file["header"]?.string ?? "") + (file["hunks"]?.array ?? []).compactMap(\.string).joined()
    }

    /// As `git/diff` answers: a list of patches.
    var diff: JSONValue {
        let letters = ["added": "A", "deleted": "D", "renamed": "R"]
        let patches = files.map { file -> JSONValue in
            let status = file["status"]?.string ?? ""
            var members: [(String, JSONValue)] = []
            for name in ["path", "path_b64", "old_path"] {
                if let value = file[name] { members.append((name, value)) }
            }
            members += [
                ("diff", .string(SessionChangeSet.patch(file))), ("is_staged", .bool(false)),
                ("is_new", .bool(status == "added")), ("is_deleted", .bool(status == "deleted")),
                ("is_truncated", file["is_truncated"] ?? .bool(false)), ("status", .string(letters[status] ?? "M")),
                ("is_binary", file["binary"] ?? .bool(false)), ("is_sensitive", file["is_sensitive"] ?? .bool(false)),
            ]
            for name in ["additions", "deletions", "next_offset", "old_mode", "new_mode"] {
                if let value = file[name], value != .null { members.append((name, value)) }
            }
            return .object(members)
        }
        let isCut = answer["has_more"]?.bool == true || patches.contains { $0["is_truncated"]?.bool == true }
        return .object([
            ("diffs", .array(patches)), ("total_files", answer["totals"]?["files"] ?? .integer(0)),
            ("is_truncated", .bool(isCut)), ("is_staged", .bool(false)),
        ])
    }
}
