internal import EventModel
internal import GitRunner
internal import Host
internal import MachinePolicy

extension GitCommand {
    /// How git is run for a command, and what the machine's file lets it show.
    ///
    /// - Parameter word: what the command needs.
    static func settings(
        _ program: String,
        _ context: WorkspaceContext,
        word: AgentFile.Git
    ) throws(GitError) -> GitSettings {
        guard (try? OwnFile.makeDirectory(context.places.git)) != nil else {
            throw .unusable("\(context.places.git) cannot be made.")
        }
        let own = [context.places.directory, SmallFile.parent(of: context.places.state)].compactMap(SmallFile.realPath)
        return GitSettings(
            program: program,
            environment: context.environment,
            stateDirectory: context.places.git,
            // If the repository is below another root, the words of that root apply.
            isWithinRoots: { path in
                (MachinePlace.root(of: path, in: context.file, realPath: SmallFile.realPath)?.allowance.git ?? .off)
                    >= word
            },
            trusts: { context.trusts($0) },
            hides: { path in
                if own.contains(where: { MachinePlace.contains($0, path) }) { return true }
                // The words of the file's own root count, not those of the root that was asked in.
                let root = MachinePlace.root(of: path, in: context.file, realPath: SmallFile.realPath)
                guard let allowance = root?.allowance, allowance.git >= word else { return true }
                return !allowance.showsSecrets && SecretFiles.contain(Array(path.utf8))
            },
            now: { SystemClock.now().microseconds / 1000 }
        )
    }
}
