import JSON
package import RPC

/// cdev's error codes for git.
extension RPCError {
    private static let gitCodes: [String: Int64] = [
        "not_a_git_repo": -32030, "git_failed": -32031, "git_timeout": -32031, "repository_busy": -32031,
        "git_not_found": -32031, "git_unavailable": -32031, "git_conflict": -32032,
    ]

    /// - Parameters:
    ///   - what: git's own words.
    ///   - reason: the error code that the REST interface uses.
    /// - Returns: nil if the reason is none of git's.
    package static func git(_ what: String, reason: String, _ method: String) -> RPCError? {
        guard let code = gitCodes[reason] else { return nil }
        return RPCError(
            code: code,
            message: what,
            data: .object([("operation", .string(method)), ("reason", .string(reason))])
        )
    }
}

extension RPCErrorKind {
    private static func git(_ name: String, _ what: String, _ reason: String, _ method: String) -> RPCErrorKind {
        RPCErrorKind(name, .git(what, reason: reason, method) ?? .internalError(what))
    }

    static let notARepository = git("NotAGitRepo", "There is no git repository.", "not_a_git_repo", "git/status")
    static let gitFailed = git("GitOperationFailed", "nothing to commit", "git_failed", "git/commit")
    static let gitConflict = git("GitConflict", "error: path 'a' is unmerged", "git_conflict", "git/discard")
}
