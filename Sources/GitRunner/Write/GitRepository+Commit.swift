package import JSON

extension GitRepository {
    package struct CommitRequest: Sendable {
        package var message: String
        package var pushes = false
        package var amends = false

        package init(message: String) { self.message = message }
    }

    package func commit(_ request: CommitRequest) throws(GitError) -> JSONValue {
        _ = try requireWorkTree()
        let words = ["commit", "-q", "-F", "-", "--cleanup=strip"] + (request.amends ? ["--amend"] : [])
        _ = try write(words, [], .writing(input: Array(request.message.utf8), runsHooks: true))
        let id = try read(["rev-parse", "--verify", "HEAD"]).line
        let short = try read(["rev-parse", "--short", "HEAD"]).line
        let names = try read(
            ["diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", "--diff-merges=first-parent", id]
        )
        var members: [(String, JSONValue)] = [
            ("success", .bool(true)), ("sha", .string(short)), ("commit_hash", .string(id)),
            ("files_committed", .integer(Int64(names.bytes.count { $0 == 0 }))),
        ]
        guard request.pushes else {
            return .object(members + [("message", .string("Committed")), ("pushed", .bool(false))])
        }
        // The commit stays, whatever becomes of the push.
        do throws(GitError) {
            let pushed = try push(PushRequest())
            let target = pushed["message"]?.string?.replacing("Pushed to ", with: "") ?? ""
            members += [("message", .string("Committed and pushed to \(target)")), ("pushed", .bool(true))]
        } catch {
            members += [
                ("message", .string("Committed, but not pushed: \(error)")), ("pushed", .bool(false)),
                ("push_error", .string("\(error)")),
            ]
        }
        return .object(members)
    }
}
