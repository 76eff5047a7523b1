package import JSON
internal import MachinePolicy

extension GitRepository {
    static let diffWords = [
        "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", "--no-abbrev", "--raw", "--patch", "-M",
        "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--no-relative", "--indent-heuristic",
    ]

    /// The patch of a file, or those of all files.
    package func diff(_ request: DiffRequest) throws(GitError) -> JSONValue {
        if let path = request.path, hides(path) { throw .secretFile(path.text) }
        var report = try report(of: request)
        if report.files.isEmpty, let path = request.path, request.against == .workTree {
            report = try newFile(path, request)
        }
        let isStaged = request.against == .staged
        var answer = DiffAnswer(limit: request.limit)
        if let path = request.path, report.files.count <= 1 {
            guard let file = report.files.first else {
                return .object(
                    path.members() + [
                        ("diff", .string("")), ("is_staged", .bool(isStaged)), ("is_new", .bool(false)),
                        ("is_truncated", .bool(false)),
                    ]
                )
            }
            return item(file, isStaged, &answer, offset: request.offset)
        }
        answer = DiffAnswer(limit: min(request.limit, DiffRequest.mostBytesOfMany))
        return .object(items(report, isStaged, &answer) + [("is_staged", .bool(isStaged))])
    }

    private static let mostFiles = 1000

    private func items(
        _ report: DiffReport,
        _ isStaged: Bool,
        _ answer: inout DiffAnswer,
        offset: Int = 0
    ) -> [(String, JSONValue)] {
        var room = AnswerRoom(entries: GitRepository.mostFiles, bytes: 100 << 10)
        let files = room.kept(report.files, \.path)
        let items = files.map { item($0, isStaged, &answer, offset: offset) }
        let isCut = room.isExceeded || items.contains { $0["is_truncated"]?.bool == true }
        return [
            ("diffs", .array(items)), ("total_files", .integer(Int64(report.files.count))),
            ("is_truncated", .bool(isCut)),
        ]
    }

    /// What differs, with the patches.
    func report(of request: DiffRequest) throws(GitError) -> DiffReport {
        var words = ["diff"] + GitRepository.diffWords + ["-U\(request.context)"]
        // Against this side of a conflict.
        switch request.against {
        case .workTree: words += ["--ours"]
        case .staged: words += ["--cached"]
        case .commit(let name): words += [try commit(name)]
        case .fork(let name): words += ["--merge-base", try commit(name)]
        }
        if request.against != .staged { _ = try requireWorkTree() }
        if !isTrusted { words += ["--ignore-submodules=dirty"] }
        let output = try read(words + ["--"], request.path.map { [$0.bytes] } ?? [])
        return DiffReport(output.bytes, isCut: output.isCut)
    }

    /// The patch of a file that git does not track yet.
    private func newFile(_ path: GitPath, _ request: DiffRequest) throws(GitError) -> DiffReport {
        let workTree = try requireWorkTree()
        let listed = try read(["ls-files", "--others", "--exclude-standard", "-z", "--"], [path.bytes])
        guard listed.bytes == path.bytes + [0],
            case .text = SmallFile.read(workTree + "/" + path.text, atMost: 16 << 20)
        else { return DiffReport([]) }
        var needs = Needs()
        // 1 says that there is a difference.
        needs.accepts = [1]
        let words = ["diff", "--no-index"] + GitRepository.diffWords + ["-U\(request.context)", "--", "/dev/null"]
        let output = try read(words, [path.bytes], needs)
        return DiffReport(output.bytes, isCut: output.isCut)
    }

    private func item(
        _ file: DiffReport.File,
        _ isStaged: Bool,
        _ answer: inout DiffAnswer,
        offset: Int
    ) -> JSONValue {
        let isSecret = hides(file.path) || file.oldPath.map(hides) == true
        let content = DiffText(file.text)
        let cut = answer.cut(isSecret ? [] : file.text.dropFirst(offset))
        var members = file.path.members()
        if let old = file.oldPath { members += old.members("old_path") }
        members += [
            ("status", .string("\(file.status)")), ("diff", .string(cut.text)), ("is_staged", .bool(isStaged)),
            ("is_new", .bool(file.status == "A")), ("is_deleted", .bool(file.status == "D")),
            ("is_binary", .bool(content.isBinary)), ("is_conflicted", .bool(file.isConflicted)),
            ("is_sensitive", .bool(isSecret)), ("is_truncated", .bool(cut.isCut || file.isCut)),
            ("old_mode", .string(file.oldMode)), ("new_mode", .string(file.newMode)),
        ]
        // The digest of a short secret gives it away.
        if !isSecret { members += [("base", .string(file.oldBlob)), ("target", .string(file.newBlob))] }
        if cut.isCut, offset + cut.bytes > 0 { members.append(("next_offset", .integer(Int64(offset + cut.bytes)))) }
        if !content.isBinary, !file.isCut {
            members += [
                ("additions", .integer(Int64(content.additions))), ("deletions", .integer(Int64(content.deletions))),
            ]
        }
        return .object(members)
    }

    /// What a commit has changed, against its first parent.
    package func show(_ name: String, _ request: DiffRequest) throws(GitError) -> JSONValue {
        if let path = request.path, hides(path) { throw .secretFile(path.text) }
        let id = try commit(name)
        let entry = try read(["log", "-1", "-z", "--no-color", "--decorate=full", LogReport.format, id, "--"])
        guard let commit = LogReport(entry.bytes).commits.first else { throw .notFound("There is no commit \(name).") }
        let message = try read(["log", "-1", "--no-color", "--format=%B", id, "--"])
        let words =
            ["show", "--format=", "--diff-merges=first-parent"] + GitRepository.diffWords
            + ["-U\(request.context)", id, "--"]
        let output = try read(words, request.path.map { [$0.bytes] } ?? [])
        let most = request.path == nil ? DiffRequest.mostBytesOfMany : DiffRequest.mostBytes
        var answer = DiffAnswer(limit: min(request.limit, most))
        let report = DiffReport(output.bytes, isCut: output.isCut)
        let items = items(report, false, &answer, offset: request.path == nil ? 0 : request.offset)
        return GitRepository.json(commit) + [
            ("body", .string(String(decoding: message.bytes.prefix(16 << 10), as: UTF8.self)))
        ] + items
    }

    /// The id of the commit that a name means.
    func commit(_ name: String) throws(GitError) -> String {
        let name = try GitName.revision(name)
        var needs = Needs()
        needs.accepts = [1, 128]
        let output = try read(["rev-parse", "--verify", "-q", "--end-of-options", "\(name)^{commit}"], [], needs)
        let id = output.line
        guard output.status == 0, id.utf8.count >= 40, id.utf8.allSatisfy({ $0 >= 0x30 }) else {
            throw .notFound("There is no commit '\(name)'.")
        }
        return id
    }
}
