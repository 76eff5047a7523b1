package import JSON

extension GitRepository {
    package static let mostPaths = 1000
    private static let fromInput = ["--pathspec-from-file=-", "--pathspec-file-nul"]

    /// Paths go by the input: there they are no options, and may be many.
    func input(_ paths: [GitPath]) -> [UInt8] { Array(paths.map(\.bytes).joined(separator: [0])) }

    package func stage(_ paths: [GitPath]) throws(GitError) -> JSONValue {
        _ = try requireWorkTree()
        // What may not be read does not leave the machine by a commit either.
        let named = try changed(below: paths)
        if let secret = named.first(where: hides) { throw .secretFile(secret.text) }
        _ = try write(["add", "-A"] + GitRepository.fromInput, [], .writing(input: input(paths)))
        return GitRepository.done("staged", paths)
    }

    /// The changed files that staging these paths would take.
    private func changed(below paths: [GitPath]) throws(GitError) -> [GitPath] {
        let report = try report()
        guard !report.isCut else { throw .tooLarge("Too many files have changed to look at each. Name fewer files.") }
        let changed =
            report.untracked + report.conflicts.map(\.path)
            + report.entries.filter { $0.unstaged != "." }.map(\.path)
        return changed.filter { file in paths.contains { file.isWithin($0) } }
    }

    package func unstage(_ paths: [GitPath]) throws(GitError) -> JSONValue {
        _ = try requireWorkTree()
        _ = try write(["reset", "-q"] + GitRepository.fromInput, [], .writing(input: input(paths)))
        return GitRepository.done("unstaged", paths)
    }

    static func done(_ name: String, _ paths: [GitPath], _ more: [(String, JSONValue)] = []) -> JSONValue {
        var room = AnswerRoom(entries: mostPaths, bytes: 400 << 10)
        let shown = room.kept(paths, \.self)
        return .object(
            [
                ("success", .bool(true)), (name, .array(shown.map { .string($0.text) })),
                (name + "_count", .integer(Int64(paths.count))),
            ] + more
        )
    }

    /// Gives the files of the work tree the contents of the index.
    func restore(_ paths: [GitPath]) throws(GitError) {
        guard !paths.isEmpty else { return }
        _ = try write(
            ["checkout", "-q"] + GitRepository.fromInput,
            [],
            .writing(input: input(paths))
        )
    }
}
