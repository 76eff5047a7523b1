internal import GitRunner
internal import MachinePolicy
internal import Workers
internal import WorkspaceFiles

/// What git says of the names in a directory. Git reads the repository's settings, but runs no program that they name.
struct GitNames: Sendable {
    struct Repository {
        /// The directories of the repository and of its files.
        var own: String
        var files: String
        /// From the files' directory to the directory that is asked about; empty, or with a slash at its end.
        var prefix: String

        /// A path of git below the directory, without a slash at its end; `nil` if it is not below.
        func inner(_ path: [UInt8]) -> [UInt8]? {
            let prefix = prefix.utf8
            guard path.count > prefix.count, path.starts(with: prefix) else { return nil }
            let rest = path.dropFirst(prefix.count)
            return Array(rest.last == UInt8(ascii: "/") ? rest.dropLast() : rest)
        }
    }

    private let program: String?
    private let environment: [String]
    private let file: AgentFile
    let place: ServedPlace
    private static let mostOutput = 8 << 20

    init(_ context: WorkspaceContext, _ place: ServedPlace) {
        (file, self.place) = (context.file, place)
        program = GitNames.program(context)
        // No protocol is allowed: git would fetch an object that is missing by a program that the repository names.
        let isTrusted = context.trusts(String(decoding: place.opened.realPath, as: UTF8.self))
        environment = GitEnvironment.make(from: context.environment, reads: true, isTrusted: isTrusted)
    }

    private static func program(_ context: WorkspaceContext) -> String? {
        let search = Environment.value("PATH", context.environment) ?? ""
        return search.split(separator: ":").map { "\($0)/git" }
            .first { $0.hasPrefix("/") && OwnFile.canRun($0) && MachineFiles.fault(ofProgram: $0, context.file) == nil }
    }

    /// The paths below the directory that git ignores. A directory that is ignored stands for all in it.
    func ignored(_ seconds: Int32) -> Set<[UInt8]> { ignored(below: RelativePath(parts: []), seconds) }

    /// Those of a repository inside, by their paths below the directory.
    func ignored(inside path: RelativePath, _ seconds: Int32) -> Set<[UInt8]> {
        let inner = path.bytes + [UInt8(ascii: "/")]
        return Set(ignored(below: path, seconds).map { inner + $0 })
    }

    private func ignored(below path: RelativePath, _ seconds: Int32) -> Set<[UInt8]> {
        guard let repository = repository(of: path) else { return [] }
        let place = repository.prefix.isEmpty ? "." : repository.prefix
        // If the directory itself is ignored, somebody has asked for it nevertheless.
        return Set(run(GitNames.ignoredWords + [place], repository, seconds).compactMap(repository.inner))
    }

    /// Which of the directory's entries git ignores, and which of its files it knows.
    func flags(of entries: [(name: [UInt8], isDirectory: Bool)]) -> (ignored: Set<[UInt8]>, tracked: Set<[UInt8]>) {
        guard let repository = repository(of: RelativePath(parts: [])) else { return ([], []) }
        func output(_ words: [String], _ entries: [(name: [UInt8], isDirectory: Bool)]) -> [[UInt8]] {
            let prefix = Array(repository.prefix.utf8)
            let paths = entries.compactMap { String(validating: prefix + $0.name, as: UTF8.self) }
            return paths.isEmpty ? [] : run(words + paths, repository, 5)
        }
        let ignored = output(GitNames.ignoredWords, entries)
        let isAll = ignored.contains { !$0.isEmpty && repository.prefix.utf8.starts(with: $0) }
        let tracked = output(["ls-files", "-z", "--cached", "--"], entries.filter { !$0.isDirectory })
        return (
            isAll ? Set(entries.map(\.name)) : Set(ignored.compactMap(repository.inner)),
            Set(tracked.compactMap(repository.inner))
        )
    }

    static let ignoredWords = [
        "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--",
    ]

    private func run(_ words: [String], _ repository: Repository, _ seconds: Int32) -> [[UInt8]] {
        run(words.map { Array($0.utf8) }, repository, seconds)
    }

    func run(
        _ words: [[UInt8]],
        _ repository: Repository,
        _ seconds: Int32,
        input: [UInt8] = [],
        isLiteral: Bool = true
    ) -> [[UInt8]] {
        guard let program else { return [] }
        let settings = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false"]
        let options =
            [
                "--no-pager", isLiteral ? "--literal-pathspecs" : "--no-literal-pathspecs", "-C", repository.files,
                "--git-dir=\(repository.own)", "--work-tree=\(repository.files)",
            ] + settings.flatMap { ["-c", $0] }
        var process = ShortProcess(
            program,
            options.map { Array($0.utf8) } + words,
            environment: environment,
            seconds: Double(seconds)
        )
        (process.input, process.outputLimit) = (input, GitNames.mostOutput)
        guard let done = try? process.run(), done.status == 0, !done.isCut else { return [] }
        return done.output.split(separator: 0).map(Array.init)
    }

    /// The repository that contains a path below the directory, as far as the machine's file lets devices read it.
    func repository(of path: RelativePath) -> Repository? {
        let inner = path.parts.isEmpty ? [] : [UInt8(ascii: "/")] + path.bytes
        guard let start = String(validating: place.opened.realPath + inner, as: UTF8.self) else { return nil }
        var files = start
        while MachinePlace.root(of: files, in: file, realPath: SmallFile.realPath)?.allowance.files == .read {
            if let own = ownDirectory(files) {
                let rest = start.dropFirst(files.utf8.count).drop { $0 == "/" }
                return Repository(own: own, files: files, prefix: rest.isEmpty ? "" : rest + "/")
            }
            guard files != "/" else { return nil }
            files = SmallFile.parent(of: files)
        }
        return nil
    }

    /// Where git keeps what belongs to the files of a directory: `.git`, or the place that a file `.git` names.
    private func ownDirectory(_ files: String) -> String? {
        let path = (files == "/" ? "" : files) + "/.git"
        guard let real = SmallFile.realPath(path) else { return nil }
        if SmallFile.isDirectory(real) { return isServed(real) ? real : nil }
        guard let text = SmallFile.text(real, atMost: 4096), text.hasPrefix("gitdir: "),
            let line = text.dropFirst(8).split(separator: "\n").first,
            let own = SmallFile.realPath(line.hasPrefix("/") ? String(line) : files + "/" + line), isServed(own)
        else { return nil }
        return own
    }

    private func isServed(_ path: String) -> Bool {
        MachinePlace.root(of: path, in: file, realPath: SmallFile.realPath)?.allowance.files == .read
    }
}
