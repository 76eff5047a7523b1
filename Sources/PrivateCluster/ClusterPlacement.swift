/// Decides where the cluster is stored, and creates its directories with the owner and mode that PostgreSQL requires.
struct ClusterPlacement: Sendable {
    let configuration: PrivateClusterConfiguration
    let identity: ServiceIdentity
    /// Real path of the data directory.
    let dataDirectory: String

    func prepare() throws(PrivateClusterError) -> ClusterLayout {
        do {
            let directory = try clusterDirectory()
            let layout = ClusterLayout(directory: directory, temporaryDirectory: configuration.temporaryDirectory)
            for path in [directory, layout.logDirectory, layout.socketDirectory] {
                try claim(path)
            }
            return layout
        } catch let fault as SystemFault {
            throw fault.clusterError
        } catch let error as PrivateClusterError {
            throw error
        } catch {
            throw PrivateClusterError(.systemCallFailed, "\(error)")
        }
    }

    /// `<data>/postgres`, or the target of that link.
    private func clusterDirectory() throws -> String {
        let link = dataDirectory + "/postgres"
        switch try FileStatus(at: link)?.kind {
        case .directory:
            try openWay(to: link)
            return link
        case .symbolicLink:
            let target = try FileSystem.realPath(link)
            try openWay(to: target)
            return target
        case .regular, .other:
            throw PrivateClusterError.unusableDirectory(link, "it is not a directory")
        case nil:
            if try isReachable(link) {
                try openWay(to: link)
                return link
            }
            return try makeElsewhere(linkedFrom: link)
        }
    }

    /// Called if the service user cannot reach the data directory, for example below `/root`.
    private func makeElsewhere(linkedFrom link: String) throws -> String {
        let name = "cluster-" + ClusterLayout.stableName(of: dataDirectory)
        let directory = "\(configuration.stateDirectory)/\(name)"
        try FileSystem.makeDirectories(configuration.stateDirectory, mode: 0o755)
        try openWay(to: directory)
        try claim(directory)
        try FileSystem.makeSymbolicLink(link, to: directory)
        return directory
    }

    /// Whether at most the parent of `path` blocks access.
    private func isReachable(_ path: String) throws -> Bool {
        let ancestors = FileSystem.ancestors(of: path)
        for ancestor in ancestors.dropLast() {
            guard let status = try FileStatus(at: ancestor), status.isTraversable(by: identity) else { return false }
        }
        guard let parent = ancestors.last, let status = try FileStatus(at: parent) else { return false }
        return status.isTraversable(by: identity) || status.owner == ServiceIdentity.processUserID
    }

    /// Lets the service user traverse the parent of `path`, which stays unreadable to it.
    private func openWay(to path: String) throws {
        guard try isReachable(path), let parent = FileSystem.ancestors(of: path).last else {
            throw PrivateClusterError.unusableDirectory(path, "PostgreSQL's user cannot reach it")
        }
        guard let status = try FileStatus(at: parent), !status.isTraversable(by: identity) else { return }
        try FileSystem.setMode(parent, status.mode | 0o011)
    }

    /// Creates a private directory of the service user, or checks that an existing one is.
    private func claim(_ path: String) throws {
        try FileSystem.makeDirectory(path, mode: 0o700)
        guard let status = try FileStatus(at: path), status.kind == .directory else {
            throw PrivateClusterError.unusableDirectory(path, "it is not a directory")
        }
        // Owned by root: created just now, or before an earlier process was killed between creating it and changing
        // its owner.
        if identity.needsSwitch, status.owner == ServiceIdentity.processUserID {
            try FileSystem.setOwner(path, identity)
        } else if status.owner != identity.userID {
            throw PrivateClusterError.unusableDirectory(
                path,
                "it belongs to user \(status.owner), not to user \(identity.userID) that PostgreSQL runs as"
            )
        }
        guard status.mode & 0o077 != 0 else { return }
        if identity.needsSwitch {
            throw PrivateClusterError.unusableDirectory(path, "others may enter it; its mode must be 0700")
        }
        try FileSystem.setMode(path, 0o700)
    }
}
