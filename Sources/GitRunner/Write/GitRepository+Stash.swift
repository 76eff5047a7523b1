package import JSON

extension GitRepository {
    package enum StashVerb: String, Sendable { case apply, pop, drop }

    package func stash(message: String?, includesUntracked: Bool) throws(GitError) -> JSONValue {
        try requireTrust()
        _ = try requireWorkTree()
        var words = ["stash", "push"]
        if includesUntracked { words.append("--include-untracked") }
        if let message { words.append("--message=\(message)") }
        let output = try write(words, [], .writing())
        let said = GitWords.shown(output.bytes)
        return .object([
            ("success", .bool(!said.hasPrefix("No local changes"))), ("message", .string(said)),
        ])
    }

    package func stash(_ verb: StashVerb, _ index: Int) throws(GitError) -> JSONValue {
        try requireTrust()
        _ = try requireWorkTree()
        do throws(GitError) {
            _ = try write(["stash", verb.rawValue, "-q", "stash@{\(index)}"], [], .writing())
            return .object([
                ("success", .bool(true)), ("index", .integer(Int64(index))),
                ("message", .string(verb == .drop ? "Dropped stash@{\(index)}" : "Applied stash@{\(index)}")),
            ])
        } catch .conflict(let said) {
            return try conflicts(said, "Conflict")
        }
    }
}
