package import JSON

extension GitRepository {
    package func apply(_ request: HunkRequest, _ store: DiscardStore) throws(GitError) -> JSONValue {
        try requireTrust()
        _ = try requireWorkTree()
        var wanted = DiffRequest()
        wanted.path = request.path
        wanted.against = request.action == .unstage ? .staged : .workTree
        let changed = GitError.changedMeanwhile(request.path.text)
        let files = try report(of: wanted).files
        guard files.count == 1, let file = files.first, file.path == request.path, !file.isCut else { throw changed }
        guard file.oldBlob == request.base, request.target == nil || request.target == file.newBlob else {
            throw changed
        }
        let content = DiffText(file.text)
        guard !content.isBinary, !file.isConflicted, file.status == "M" else {
            throw .invalid("\(request.path.text) can only be taken as a whole.")
        }
        let isReversed = request.action != .stage
        guard let patch = HunkChoice(text: content).patch(request.hunks, isReversed: isReversed) else { throw changed }
        var words = ["apply", "--whitespace=nowarn", "--unidiff-zero"]
        if request.action != .discard { words.append("--cached") }
        if isReversed { words.append("-R") }
        guard request.action == .discard else {
            _ = try write(words, [], .writing(input: patch))
            return GitRepository.done(request.action == .stage ? "staged" : "unstaged", [request.path])
        }
        let entry = try store.save([request.path], of: self)
        _ = try write(words, [], .writing(input: patch))
        try store.complete(entry, of: self)
        return GitRepository.done("discarded", [request.path], [("undo", .string(entry.id))])
    }
}
