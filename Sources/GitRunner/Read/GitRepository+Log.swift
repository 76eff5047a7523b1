package import JSON

/// Which commits are wanted.
package struct LogRequest: Sendable {
    package var limit = 50
    package var offset = 0
    package var branch: String?
    package var path: GitPath?
    package var author: String?
    /// As git-log(1) takes dates.
    package var since: String?
    package var until: String?
    package var isGraph = false

    package static let most = 200
    package static let mostOffset = 100_000

    package init() {}
}

extension GitRepository {
    package func log(_ request: LogRequest) throws(GitError) -> JSONValue {
        let named = try request.branch.map { name throws(GitError) in try commit(name) }
        let start = if let named { named } else { try headCommit() }
        guard let start else { return GitRepository.log([], [], isGraph: request.isGraph, columns: 0, total: 0, false) }
        // Columns follow from all commits before.
        let skipped = request.isGraph ? request.offset : 0
        var words = [
            "log", "-z", "--no-color", "--topo-order", "--decorate=full", "--encoding=UTF-8", LogReport.format,
            "--fixed-strings", "--max-count=\(request.limit + skipped + 1)", "--skip=\(request.offset - skipped)",
        ]
        if let author = request.author { words.append("--author=\(author)") }
        if let since = request.since { words.append("--since=\(since)") }
        if let until = request.until { words.append("--until=\(until)") }
        let paths = request.path.map { [$0.bytes] } ?? []
        let commits = LogReport(try read(words + [start, "--"], paths).bytes).commits
        let shown = commits.dropFirst(skipped)
        let isWhole = request.path == nil && request.author == nil && request.since == nil && request.until == nil
        var graph = LogGraph()
        var rows: [LogGraph.Row] = []
        if request.isGraph {
            rows = commits.prefix(skipped + request.limit)
                .map { commit in graph.place(commit.id, parents: commit.parents) }
        }
        return GitRepository.log(
            Array(shown.prefix(request.limit)),
            Array(rows.dropFirst(skipped)),
            isGraph: request.isGraph,
            columns: graph.columns,
            total: isWhole ? total(start) : nil,
            shown.count > request.limit
        )
    }

    private func headCommit() throws(GitError) -> String? {
        var needs = Needs()
        needs.accepts = [1, 128]
        let output = try read(["rev-parse", "--verify", "-q", "HEAD^{commit}"], [], needs)
        return output.status == 0 ? output.line : nil
    }

    /// nil if counting takes long.
    private func total(_ start: String) -> Int? {
        var needs = Needs()
        needs.seconds = 1
        return (try? read(["rev-list", "--count", start], [], needs)).flatMap { Int($0.line) }
    }

    private static func log(
        _ commits: [LogReport.Commit],
        _ rows: [LogGraph.Row],
        isGraph: Bool,
        columns: Int,
        total: Int?,
        _ hasMore: Bool
    ) -> JSONValue {
        let items = commits.enumerated().map { index, commit in
            isGraph && index < rows.count
                ? json(commit) + [("graph_position", json(rows[index]))] : json(commit)
        }
        return .object(
            [("commits", .array(items)), ("has_more", .bool(hasMore))]
                + (total.map { [("total_count", .integer(Int64($0)))] } ?? [])
                + (isGraph ? [("max_columns", .integer(Int64(columns)))] : [])
        )
    }

    private static func json(_ row: LogGraph.Row) -> JSONValue {
        .object([
            ("column", .integer(Int64(row.column))),
            (
                "lines",
                .array(
                    row.lines.map { line in
                        .object([
                            ("from_column", .integer(Int64(line.from))), ("to_column", .integer(Int64(line.to))),
                            ("type", .string(line.kind.rawValue)),
                        ])
                    }
                )
            ),
        ])
    }

    static func json(_ commit: LogReport.Commit) -> JSONValue {
        .object([
            ("sha", .string(commit.id)), ("short_sha", .string(commit.shortID)),
            ("subject", .string(commit.subject.cut(to: 1000))),
            ("author", .string(commit.author.cut(to: 200))), ("author_email", .string(commit.email.cut(to: 200))),
            ("date", .string(commit.date)), ("relative_date", .string(commit.relativeDate)),
            ("parent_shas", .array(commit.parents.map(JSONValue.string))),
            ("is_merge", .bool(commit.parents.count > 1)),
            (
                "refs",
                .array(
                    commit.references.prefix(50).map {
                        .object([("name", .string($0.name)), ("type", .string($0.kind.rawValue))])
                    }
                )
            ),
        ])
    }
}
