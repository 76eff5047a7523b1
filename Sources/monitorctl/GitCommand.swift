import ArgumentParser
import Foundation

struct GitCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "git",
        abstract: "Look into the repository of a project on its machine, or change it.",
        discussion: """
            The machine's agent runs git, as far as the machine's file allows.
              monitorctl git status 5f3a
              monitorctl git diff 5f3a src/app.ts
              monitorctl git commit 5f3a --message "Repair the parser" --push
            """
    )

    static let reads: Set<String> = [
        "status", "state", "diff", "log", "branches", "show", "stash/list", "remote/list", "worktrees",
    ]

    @Argument(help: "What git does: status, diff, log, show, branches, stage, discard, commit, push and the like.")
    var verb: String

    @Argument(help: "The project, by its id.")
    var project: String

    @Argument(help: "Files, below the repository's root.")
    var paths: [String] = []

    @Option(help: "The message of a commit, a stash or a merge.")
    var message: String?

    @Option(help: "The branch.")
    var branch: String?

    @Option(help: "The commit for show.")
    var commit: String?

    @Option(help: "The remote.")
    var remote: String?

    @Option(help: "What a discard has answered, for undo.")
    var undo: String?

    @Option(help: "Which stash.")
    var index: Int?

    @Flag(help: "What is staged, for diff.")
    var staged = false

    @Flag(help: "Push the commit too.")
    var push = false

    @Flag(help: "Push or delete although something is lost.")
    var force = false

    @Flag(help: "Make the branch, for checkout.")
    var create = false

    @OptionGroup var connection: ConnectionOptions

    private struct Body: Encodable {
        var paths: [String]?
        var message: String?
        var branch: String?
        var remote: String?
        var undo: String?
        var index: Int?
        var push: Bool?
        var force: Bool?
        var create: Bool?
        var commandId: String
    }

    func execute(_ client: HTTPClient) async throws {
        let name = try verb.split(separator: "/").map { try PathSegment.encode(String($0)) }.joined(separator: "/")
        let path = "/v1/projects/\(try PathSegment.encode(project))/git/\(name)"
        let reply: Data
        if GitCommand.reads.contains(verb) {
            let asked: [(String, String?)] = [
                ("path", paths.first), ("branch", branch), ("commit", commit ?? (verb == "show" ? "HEAD" : nil)),
                ("staged", staged ? "true" : nil),
            ]
            reply = try await client.get(
                path,
                query: asked.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
            )
        } else {
            let body = Body(
                paths: paths.isEmpty ? nil : paths,
                message: message,
                branch: branch,
                remote: remote,
                undo: undo,
                index: index,
                push: push ? true : nil,
                force: force ? true : nil,
                create: create ? true : nil,
                commandId: UUID().uuidString.lowercased()
            )
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            reply = try await client.expectSuccess(client.send("POST", path, body: try encoder.encode(body))).body
        }
        if connection.json { return try Output.document(reply) }
        let answer = try ServerJSON.decode(GitAnswer.self, reply)
        for line in answer.lines(verb) { try Output.line(TerminalText.printable(line)) }
        if answer.success == false { throw ExitCode(1) }
    }
}

/// What the answers of git's methods have for people.
struct GitAnswer: Decodable {
    struct File: Decodable {
        var path: String
        var status: String?
    }
    struct Patch: Decodable {
        var path: String
        var diff: String
        var isTruncated: Bool?
    }
    struct Commit: Decodable {
        var shortSha: String
        var subject: String
    }
    struct Branch: Decodable {
        var name: String
        var isCurrent: Bool?
    }
    struct Stash: Decodable {
        var index: Int
        var message: String
    }
    struct Remote: Decodable {
        var name: String
        var fetchUrl: String
    }
    struct Worktree: Decodable {
        var path: String
        var branch: String
    }

    var branch: String?
    var upstream: String?
    var ahead: Int?
    var behind: Int?
    var state: String?
    var staged: Files?
    var unstaged: Files?
    var untracked: [File]?
    var conflicted: [File]?
    var path: String?
    var diff: String?
    var isTruncated: Bool?
    var diffs: [Patch]?
    var commits: [Commit]?
    var branches: [Branch]?
    var stashes: [Stash]?
    var remotes: Remotes?
    var worktrees: [Worktree]?
    var success: Bool?
    var message: String?
    var error: String?
    var undo: String?

    /// A status lists files, the answer to a change their names.
    struct Files: Decodable {
        var list: [File]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let files = try? container.decode([File].self) {
                list = files
            } else {
                list = try container.decode([String].self).map { File(path: $0) }
            }
        }
    }

    /// A status lists names, the list of remotes more.
    struct Remotes: Decodable {
        var list: [Remote]

        init(from decoder: any Decoder) throws {
            list = (try? decoder.singleValueContainer().decode([Remote].self)) ?? []
        }
    }

    func lines(_ verb: String) -> [String] {
        switch verb {
        case "status": return status
        case "state": return [state ?? ""]
        case "log": return (commits ?? []).map { "\($0.shortSha) \($0.subject)" }
        case "branches": return (branches ?? []).map { "\($0.isCurrent == true ? "*" : " ") \($0.name)" }
        case "stash/list": return (stashes ?? []).map { "\($0.index) \($0.message)" }
        case "remote/list": return (remotes?.list ?? []).map { "\($0.name) \($0.fetchUrl)" }
        case "worktrees": return (worktrees ?? []).map { "\($0.path) \($0.branch)" }
        case "diff", "show": return patches
        default: return done
        }
    }

    private var status: [String] {
        let follows = upstream.flatMap { $0.isEmpty ? nil : $0 }
            .map { "\($0), \(ahead ?? 0) ahead, \(behind ?? 0) behind" }
        var lines = ["\(branch ?? "") \(state ?? "")" + (follows.map { " (\($0))" } ?? "")]
        for (title, files) in [
            ("conflict", conflicted ?? []), ("staged", staged?.list ?? []), ("changed", unstaged?.list ?? []),
            ("new", untracked ?? []),
        ] {
            lines += files.map { "\(title) \($0.status ?? "") \($0.path)" }
        }
        return lines
    }

    private var patches: [String] {
        let all = diffs ?? diff.map { [Patch(path: path ?? "", diff: $0, isTruncated: isTruncated)] } ?? []
        return all.flatMap { patch in
            patch.diff.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
                + (patch.isTruncated == true ? ["… \(patch.path) is cut"] : [])
        }
    }

    private var done: [String] {
        var lines = [error, message].compactMap(\.self).filter { !$0.isEmpty }
        if let undo { lines.append("To bring it back: undo --undo \(undo)") }
        return lines.isEmpty ? ["Done."] : lines
    }
}
