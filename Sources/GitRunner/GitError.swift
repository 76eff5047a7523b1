/// Why git did not do what it was asked. The words are shown to people and contain no password.
package enum GitError: Error, Equatable, CustomStringConvertible {
    /// -32030 of the clients' interface.
    case notARepository
    case outsideRoots(String)
    /// A parameter is not acceptable.
    case invalid(String)
    /// Only reads are done in a folder that nobody trusts.
    case untrusted(String)
    /// Git's own words.
    case failed(String)
    /// Git's own words about files in conflict.
    case conflict(String)
    /// Another command of git has the repository.
    case busy(String)
    case timedOut(seconds: Double)
    /// The file is not any more as the person has seen it.
    case changedMeanwhile(String)
    case secretFile(String)
    case tooLarge(String)
    case notFound(String)
    /// There is no git, or one that is too old.
    case unusable(String)

    package var description: String {
        switch self {
        case .notARepository: "There is no git repository."
        case .outsideRoots(let what): "\(what) is not below a root of this machine."
        case .invalid(let what): what
        case .untrusted(let folder):
            "Nobody has said at this machine that the folder \(folder) is trusted, so git only reads there."
        case .failed(let words), .conflict(let words), .busy(let words): words
        case .timedOut(let seconds): "Git took longer than \(Int(seconds)) s and was ended."
        case .changedMeanwhile(let what): "\(what) has changed meanwhile."
        case .secretFile(let path): "\(path) may contain secrets. The machine's file does not show them."
        case .tooLarge(let what): what
        case .notFound(let what): what
        case .unusable(let what): what
        }
    }
}
