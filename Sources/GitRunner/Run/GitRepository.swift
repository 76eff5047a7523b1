internal import MachinePolicy
internal import Signing
internal import Workers

/// A repository of this machine, for one request. Its methods block the thread.
package struct GitRepository {
    package let place: GitPlace
    package let isTrusted: Bool
    let settings: GitSettings
    /// Where git reads a repository that nobody trusts.
    private let shadow: ShadowDirectory?
    private let plain: [PlainConfiguration.Setting]

    static let outputLimit = 32 << 20
    /// Bytes of a file. A larger one differs as a binary file does.
    package static let mostCompared = 64 << 20

    /// What a command needs beyond its words.
    struct Needs {
        var input: [UInt8] = []
        var seconds = 20.0
        var outputLimit = GitRepository.outputLimit
        /// Only of what a person starts: commit, merge, checkout, push.
        var runsHooks = false
        var environment: [String] = []
        /// Statuses beside 0 that are no failure.
        var accepts: Set<Int32> = []

        static func writing(seconds: Double = 60, input: [UInt8] = [], runsHooks: Bool = false) -> Needs {
            Needs(input: input, seconds: seconds, runsHooks: runsHooks)
        }
    }

    typealias Command = (words: [String], arguments: [[UInt8]], needs: Needs)

    /// - Parameter directory: a real path.
    package init(at directory: String, _ settings: GitSettings) throws(GitError) {
        guard settings.isWithinRoots(directory) else { throw .outsideRoots(directory) }
        let place = try GitPlace.find(from: directory, isWithinRoots: settings.isWithinRoots)
        (self.place, self.settings) = (place, settings)
        isTrusted = settings.trusts(place.root)
        guard !isTrusted else {
            (shadow, plain) = (nil, [])
            return
        }
        let shadow = try ShadowDirectory(
            of: place,
            in: settings.stateDirectory,
            isWithinRoots: settings.isWithinRoots
        )
        var listing: [UInt8] = []
        let file = place.commonDirectory + "/config"
        if case .text(let text, _, _) = SmallFile.read(file, atMost: 1 << 20), !text.isEmpty {
            let words = ["config", "--file", "-", "--no-includes", "--list", "-z"].map { Array($0.utf8) }
            var process = ShortProcess(
                settings.program,
                [Array("--git-dir=\(shadow.path)".utf8)] + words,
                environment: GitEnvironment.make(from: settings.environment, reads: true, isTrusted: false),
                seconds: 10
            )
            (process.input, process.outputLimit, process.hasOwnSession) = (text, 4 << 20, true)
            guard let done = try? process.run(), done.status == 0, !done.isCut else {
                throw .failed("The repository's settings cannot be read.")
            }
            listing = done.output
        }
        try shadow.write("config", PlainConfiguration.file(in: listing, isBare: place.workTree == nil))
        (self.shadow, plain) = (shadow, PlainConfiguration.settings(in: listing))
    }

    var stateDirectory: String { settings.stateDirectory }

    func requireTrust() throws(GitError) {
        guard isTrusted else { throw .untrusted(place.root) }
    }

    func requireWorkTree() throws(GitError) -> String {
        guard let workTree = place.workTree else { throw .failed("This operation must be run in a work tree.") }
        return workTree
    }

    // MARK: Running

    /// Switches off what would start programs, write beside the command, or change the form of what is read.
    private func options(_ needs: Needs, reads: Bool) -> [String] {
        var options = [
            "--no-pager", "--git-dir=\(shadow?.path ?? place.gitDirectory)",
        ]
        if let workTree = place.workTree { options += ["-C", workTree, "--work-tree=\(workTree)"] }
        var settings = [
            "core.fsmonitor=false", "core.pager=cat", "color.ui=false", "core.quotePath=false", "gc.auto=0",
            "maintenance.auto=false", "submodule.recurse=false", "fetch.recurseSubmodules=false",
            "push.recurseSubmodules=no", "protocol.ext.allow=never", "log.showSignature=false", "diff.noprefix=false",
            "diff.mnemonicPrefix=false", "diff.interHunkContext=0",
            "commit.template=", "commit.verbose=false", "merge.autoStash=false", "rebase.autoStash=false",
        ]
        if !needs.runsHooks { settings.append("core.hooksPath=/dev/null") }
        // Git takes memory for the whole of a text to compare it, and several times as much.
        if reads { settings.append("core.bigFileThreshold=\(GitRepository.mostCompared)") }
        return options + settings.flatMap { ["-c", $0] }
    }

    /// Runs a command that reads.
    func read(_ words: [String], _ arguments: [[UInt8]] = [], _ needs: Needs = Needs()) throws(GitError) -> GitOutput {
        try run(words, arguments, needs, reads: true)
    }

    /// Runs two commands that read, at the same time.
    func readBoth(
        _ first: Command,
        _ second: Command
    ) throws(GitError) -> (GitOutput, GitOutput) {
        let one = try process(first.words, first.arguments, first.needs, reads: true)
        let other = try process(second.words, second.arguments, second.needs, reads: true)
        let done = try GitRepository.done(first.needs) { () throws(ShortProcess.Fault) in
            try ShortProcess.together(one, other)
        }
        return (try output(done.0, first.needs), try output(done.1, second.needs))
    }

    /// Runs a command that writes.
    func write(_ words: [String], _ arguments: [[UInt8]] = [], _ needs: Needs) throws(GitError) -> GitOutput {
        try requireTrust()
        return try run(words, arguments, needs, reads: false)
    }

    private func run(
        _ words: [String],
        _ arguments: [[UInt8]],
        _ needs: Needs,
        reads: Bool
    ) throws(GitError) -> GitOutput {
        let process = try process(words, arguments, needs, reads: reads)
        let done = try GitRepository.done(needs) { () throws(ShortProcess.Fault) in try process.run() }
        return try output(done, needs)
    }

    private func process(
        _ words: [String],
        _ arguments: [[UInt8]],
        _ needs: Needs,
        reads: Bool
    ) throws(GitError) -> ShortProcess {
        var environment = GitEnvironment.make(from: settings.environment, reads: reads, isTrusted: isTrusted)
        if !isTrusted { environment += PlainConfiguration.environment(plain) }
        environment += needs.environment
        let line = (options(needs, reads: reads) + words).map { Array($0.utf8) } + arguments
        guard line.allSatisfy({ !$0.contains(0) }) else { throw .invalid("A parameter contains a zero byte.") }
        var process = ShortProcess(settings.program, line, environment: environment, seconds: needs.seconds)
        (process.input, process.outputLimit) = (needs.input, needs.outputLimit)
        (process.errors, process.hasOwnSession) = (.kept, true)
        return process
    }

    private static func done<Done>(
        _ needs: Needs,
        _ body: () throws(ShortProcess.Fault) -> Done
    ) throws(GitError) -> Done {
        do throws(ShortProcess.Fault) {
            return try body()
        } catch {
            switch error {
            case .timedOut: throw .timedOut(seconds: needs.seconds)
            case .notStarted: throw .unusable("Git cannot be started.")
            }
        }
    }

    private func output(_ done: ShortProcess.Done, _ needs: Needs) throws(GitError) -> GitOutput {
        let output = GitOutput(status: done.status, bytes: done.output, errors: done.errors, isCut: done.isCut)
        guard done.status == 0 || done.isCut || needs.accepts.contains(done.status) else {
            throw output.failure
        }
        return output
    }
}

/// What a command of git has said.
struct GitOutput {
    var status: Int32
    var bytes: [UInt8]
    var errors: [UInt8]
    var isCut: Bool

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The first line, without the end of the line.
    var line: String {
        bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// What git tells a person, without passwords and hints.
    var words: String { GitWords.shown(errors.isEmpty ? bytes : errors) }

    var failure: GitError { GitWords.failure(GitWords.shown(errors), output: GitWords.shown(bytes)) }
}
