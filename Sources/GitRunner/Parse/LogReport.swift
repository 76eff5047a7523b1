/// Commits as `git log -z` lists them.
struct LogReport: Equatable {
    struct Reference: Equatable {
        enum Kind: String { case head, local = "local_branch", remote = "remote_branch", tag }

        var name: String
        var kind: Kind
    }

    struct Commit: Equatable {
        var id: String
        var shortID: String
        var parents: [String]
        var author: String
        var email: String
        var date: String
        var relativeDate: String
        var references: [Reference]
        var subject: String
    }

    static let format = "--format=tformat:%H%x00%h%x00%P%x00%an%x00%ae%x00%aI%x00%ar%x00%D%x00%s"
    private static let fields = 9

    private(set) var commits: [Commit] = []

    init(_ bytes: [UInt8]) {
        var fields = Fields(bytes)
        while true {
            let texts = (0..<LogReport.fields).compactMap { _ in fields.text() }
            guard texts.count == LogReport.fields else { return }
            commits.append(
                Commit(
                    id: texts[0],
                    shortID: texts[1],
                    parents: texts[2].split(separator: " ").map(String.init),
                    author: texts[3],
                    email: texts[4],
                    date: texts[5],
                    relativeDate: texts[6],
                    references: LogReport.references(texts[7]),
                    subject: texts[8]
                )
            )
        }
    }

    /// `HEAD -> refs/heads/main, tag: refs/tags/v1, refs/remotes/origin/main`
    static func references(_ text: String) -> [Reference] {
        text.split(separator: ", ").flatMap { part -> [Reference] in
            var part = part
            var references: [Reference] = []
            if part.hasPrefix("HEAD -> ") {
                references.append(Reference(name: "HEAD", kind: .head))
                part = part.dropFirst(8)
            }
            if part.hasPrefix("tag: ") { part = part.dropFirst(5) }
            let kinds: [(String, Reference.Kind)] = [
                ("refs/heads/", .local), ("refs/remotes/", .remote), ("refs/tags/", .tag),
            ]
            if part == "HEAD" {
                references.append(Reference(name: "HEAD", kind: .head))
            } else if let (prefix, kind) = kinds.first(where: { part.hasPrefix($0.0) }) {
                references.append(Reference(name: String(part.dropFirst(prefix.utf8.count)), kind: kind))
            }
            return references
        }
    }
}

/// Places commits in columns, a line of the history in each, and the lines from each row to the next. Pure.
struct LogGraph {
    struct Line: Equatable {
        enum Kind: String {
            case straight
            case mergeLeft = "merge_left"
            case mergeRight = "merge_right"
            case branchLeft = "branch_left"
            case branchRight = "branch_right"
        }

        var from: Int
        var to: Int
        var kind: Kind
    }

    struct Row: Equatable {
        var column: Int
        var lines: [Line]
    }

    /// The commit that each column waits for.
    private var lanes: [String?] = []
    private(set) var columns = 0

    /// Children come before their parents.
    mutating func place(_ id: String, parents: [String]) -> Row {
        let column = lanes.firstIndex(of: id) ?? freeLane()
        var lines: [Line] = []
        for (lane, waits) in lanes.enumerated() where lane != column {
            guard let waits else { continue }
            if waits == id {
                // Another child of this commit.
                lines.append(Line(from: lane, to: column, kind: column < lane ? .mergeLeft : .mergeRight))
                lanes[lane] = nil
            } else {
                lines.append(Line(from: lane, to: lane, kind: .straight))
            }
        }
        lanes[column] = nil
        for (index, parent) in parents.enumerated() {
            if let lane = lanes.firstIndex(of: parent) {
                lines.append(Line(from: column, to: lane, kind: lane < column ? .mergeLeft : .mergeRight))
            } else if index == 0 {
                lanes[column] = parent
                lines.append(Line(from: column, to: column, kind: .straight))
            } else {
                let lane = freeLane()
                lanes[lane] = parent
                lines.append(Line(from: column, to: lane, kind: lane < column ? .branchLeft : .branchRight))
            }
        }
        while let last = lanes.last, last == nil { lanes.removeLast() }
        return Row(column: column, lines: lines)
    }

    private mutating func freeLane() -> Int {
        let lane = lanes.firstIndex(of: nil) ?? lanes.count
        if lane == lanes.count { lanes.append(nil) }
        columns = max(columns, lane + 1)
        return lane
    }
}
