package import JSON

/// What is asked of a session's change set.
package struct ChangeQuery: Sendable {
    package var sessionID: String
    /// Only this file, with its hunks.
    package var path: GitPath?
    /// With the hunks of all files, as far as there is room.
    package var hasHunks = false
    /// The state of the work tree now; otherwise that of the last stop, if there is one.
    package var isNow = true
    /// A state of an earlier answer.
    package var end: String?
    /// Files to pass over.
    package var skips = 0
    package var limit = 200
    package var context = 3
    /// With a path: the bytes of its hunks to pass over.
    package var offset = 0

    package static let mostFiles = 1000

    package init(sessionID: String) { self.sessionID = sessionID }
}

extension ChangeStore {
    private static let mostBytes = 400 << 10
    private static let mostBytesBesideHunks = 100 << 10

    /// What the session has changed.
    package func changes(_ query: ChangeQuery, _ lists: ChangeLists, seconds: Double) throws(GitError) -> JSONValue {
        guard var record = record(query.sessionID) else { return ChangeStore.nothing(nil, .noBaseline) }
        guard let base = record.base else { return ChangeStore.nothing(record, record.reason ?? .noBaseline) }
        let deadline = settings.now() + Int64(seconds * 1000)
        let repository: GitRepository
        do throws(GitError) {
            repository = try self.repository(of: record)
        } catch {
            guard error == .notARepository else { throw error }
            return ChangeStore.nothing(record, .notARepository)
        }
        let end = try end(query, &record, seconds: seconds)
        let comparison = ChangeComparison(
            repository: repository,
            base: base,
            end: end,
            directory: place(query.sessionID),
            deadline: deadline
        )
        var list = try lists.list(base.id + end.id) { () throws(GitError) in try comparison.list() }
        // The machine's file may say something else by now.
        for index in list.files.indices where repository.hides(list.files[index].path) {
            list.files[index].isHidden = true
        }
        var (files, next) = (list.files[...], nil as Int?)
        if let path = query.path {
            files = files.filter { $0.path == path }[...]
        } else {
            var room = AnswerRoom(
                entries: query.limit,
                bytes: query.hasHunks ? ChangeStore.mostBytesBesideHunks : ChangeStore.mostBytes
            )
            files = room.kept(Array(list.files.dropFirst(query.skips)), \.path)
            let shown = query.skips + files.count
            next = shown < list.files.count ? shown : nil
        }
        var isPruned = list.isPruned
        let items = items(Array(files), query, comparison, &isPruned)
        let reason = ChangeStore.reason(record, list, end, isPruned: isPruned)
        return .object(
            ChangeStore.common(record, end, reason, isNow: end.id == record.now?.id) + [
                ("totals", ChangeStore.totals(list.files)), ("files", .array(items)),
                ("has_more", .bool(next != nil)),
                ("next_cursor", next.map { .string("\(end.id).\($0)") } ?? .null),
            ]
        )
    }

    private func end(
        _ query: ChangeQuery,
        _ record: inout ChangeRecord,
        seconds: Double
    ) throws(GitError) -> WorkTreeState {
        if let id = query.end {
            guard let state = [record.now, record.stop].compactMap({ $0 }).first(where: { $0.id == id }) else {
                throw .changedMeanwhile("The state of the work tree")
            }
            return state
        }
        if query.isNow || record.stop == nil { try look(query.sessionID, &record, seconds: seconds) }
        guard let end = query.isNow ? record.now : record.stop ?? record.now else {
            throw .failed("The state of the work tree is not known.")
        }
        return end
    }

    private func items(
        _ files: [ChangedFile],
        _ query: ChangeQuery,
        _ comparison: ChangeComparison,
        _ isPruned: inout Bool
    ) -> [JSONValue] {
        guard query.hasHunks || query.path != nil else { return files.map(\.json) }
        var patches: [GitPath: DiffReport.File] = [:]
        do throws(GitError) {
            for file in try comparison.patches(of: files, context: query.context).files { patches[file.path] = file }
        } catch {
            isPruned = true
        }
        var room = DiffAnswer(limit: query.path == nil ? DiffRequest.mostBytesOfMany : DiffRequest.mostBytes)
        return files.map { file in
            guard !file.isHidden, let patch = patches[file.path], patch.oldPath.map(comparison.repository.hides) != true
            else { return file.json }
            let hunks = ChangeHunks(patch.text, offset: query.path == nil ? 0 : query.offset, &room)
            return file.json + hunks.members
        }
    }

    // MARK: What surrounds the files

    private static func nothing(_ record: ChangeRecord?, _ reason: ChangeRecord.Reason) -> JSONValue {
        .object(
            common(record, nil, reason, isNow: false) + [
                ("totals", totals([])), ("files", .array([])), ("has_more", .bool(false)), ("next_cursor", .null),
            ]
        )
    }

    private static func common(
        _ record: ChangeRecord?,
        _ end: WorkTreeState?,
        _ reason: ChangeRecord.Reason?,
        isNow: Bool
    ) -> [(String, JSONValue)] {
        func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
        func members(_ state: WorkTreeState) -> [(String, JSONValue)] {
            [("taken_at", .integer(state.takenAt)), ("branch", text(state.branch)), ("commit", text(state.commit))]
        }
        let base = record?.base.map { base in
            JSONValue.object(
                members(base) + [
                    ("session_started_at", record?.startedAt.map { .integer($0) } ?? .null),
                    ("is_late", .bool(record?.isLate ?? false)),
                ]
            )
        }
        let last = end.map { end in
            JSONValue.object(members(end) + [("id", .string(end.id)), ("at", .string(isNow ? "now" : "stop"))])
        }
        return [
            ("repo_root", text(record?.workTree)), ("named_root", text(record?.namedRoot)), ("base", base ?? .null),
            ("end", last ?? .null), ("complete", .bool(reason == nil)), ("reason", text(reason?.rawValue)),
        ]
    }

    /// The weightiest of the reasons why the set is not complete.
    private static func reason(
        _ record: ChangeRecord,
        _ list: ChangeList,
        _ end: WorkTreeState,
        isPruned: Bool
    ) -> ChangeRecord.Reason? {
        if isPruned { return .pruned }
        if list.isCut || end.isCut || record.base?.isCut == true { return .tooMany }
        if record.isLate { return .late }
        return end.isTooLarge || record.base?.isTooLarge == true ? .tooLarge : nil
    }

    private static func totals(_ files: [ChangedFile]) -> JSONValue {
        func number(_ count: Int) -> JSONValue { .integer(Int64(count)) }
        func count(_ status: ChangedFile.Status) -> JSONValue { number(files.count { $0.status == status }) }
        return .object([
            ("files", number(files.count)), ("added", count(.added)), ("modified", count(.modified)),
            ("deleted", count(.deleted)), ("renamed", count(.renamed)),
            ("additions", number(files.reduce(0) { $0 + ($1.lines?.added ?? 0) })),
            ("deletions", number(files.reduce(0) { $0 + ($1.lines?.removed ?? 0) })),
            ("binary", number(files.count { $0.isBinary })),
        ])
    }
}
