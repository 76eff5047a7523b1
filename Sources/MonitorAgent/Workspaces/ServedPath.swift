internal import JSON
internal import MachinePolicy
internal import RPC
internal import Signing
internal import WorkspaceFiles

/// An absolute path that a command names.
struct ServedPath: Sendable {
    let bytes: [UInt8]
    /// For people and the audit.
    var shown: String { String(decoding: bytes, as: UTF8.self) }

    static let mostBytes = 4096

    init(directory: String) { bytes = Array(directory.utf8) }

    /// `path_b64` stands in place of `path` where the bytes are not UTF-8.
    init(_ params: RPCParams) throws(RPCError) {
        if let text = try params.string("path_b64", limit: 2 * ServedPath.mostBytes) {
            guard let bytes = Base64.decode(text) else { throw .invalidParameter("path_b64", "is not Base64") }
            self.bytes = bytes
        } else {
            bytes = Array(try params.required("path", limit: ServedPath.mostBytes).utf8)
        }
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(0) else {
            throw .invalidParameter("path", "is not an absolute path")
        }
    }
}

/// A file or a directory that the machine's file lets devices read.
struct ServedPlace: Sendable {
    let root: RootDirectory
    let path: RelativePath
    let opened: OpenedFile
    let isSecretsShown: Bool
    /// The directories of the agent and of the hooks, which are never shown.
    private let own: [String]
    /// The roots below the file or directory, for which the machine's file says something else. Longer paths are
    /// later.
    private let inner: [(path: [UInt8], allowance: AgentFile.Allowance)]

    /// - Parameter context: the machine's file is judged anew by it.
    init(_ path: ServedPath, _ context: WorkspaceContext) throws(CommandRefusal) {
        try context.file.requireUsable()
        let relative: RelativePath
        do throws(FileFault) {
            relative = try RelativePath(path.bytes.drop { $0 == UInt8(ascii: "/") })
        } catch {
            throw CommandRefusal(error, path.shown)
        }
        let plain = [UInt8(ascii: "/")] + relative.bytes
        let root = try ServedPlace.root(of: plain, path.shown, context)
        guard plain.starts(with: root.path.utf8) else { throw CommandRefusal(.outside, path.shown) }
        do throws(FileFault) {
            self.root = try RootDirectory(MachinePlace.plain(root.path))
            self.path = try RelativePath(plain.dropFirst(self.root.path.count).drop { $0 == UInt8(ascii: "/") })
            try ServedPlace.refuseRepository(self.path)
            opened = try self.root.open(self.path)
            // A link may lead to a root in this one for which the file says something else.
            try ServedPlace.refuseRepository(try RelativePath(opened.realPath.dropFirst()))
        } catch {
            throw CommandRefusal(error, path.shown)
        }
        let real = try ServedPlace.root(of: opened.realPath, path.shown, context)
        own = [context.places.directory, SmallFile.parent(of: context.places.state)].compactMap(SmallFile.realPath)
        isSecretsShown = root.allowance.showsSecrets && real.allowance.showsSecrets
        let place = String(decoding: opened.realPath, as: UTF8.self)
        inner = context.file.roots.map { (path: MachinePlace.plain($0.path), allowance: $0.allowance) }
            .filter { $0.path != place && MachinePlace.contains(place, $0.path) }
            .map { (path: Array($0.path.utf8), allowance: $0.allowance) }
            .sorted { $0.path.count < $1.path.count }
    }

    /// The absolute path as it was asked for, without links resolved.
    var absolute: [UInt8] {
        let base = root.path.count == 1 ? [] : root.path
        return path.parts.isEmpty ? root.path : base + [UInt8(ascii: "/")] + path.bytes
    }

    /// Whether the file, or an entry of the directory, holds credentials.
    func isSecret(_ entry: [UInt8]? = nil) -> Bool {
        let inner = entry.map { [UInt8(ascii: "/")] + $0 } ?? []
        return SecretFiles.contain(absolute + inner) || SecretFiles.contain(opened.realPath + inner) || isOwn(inner)
    }

    /// The paths below the directory that devices may not look at, because they are roots of their own.
    var excluded: Set<[UInt8]> {
        let base = opened.realPath.count == 1 ? 1 : opened.realPath.count + 1
        return Set(inner.filter { $0.allowance.files != .read }.map { Array($0.path.dropFirst(base)) })
    }

    /// The paths below the directory that belong to the agent and to the hooks.
    var ownPaths: Set<[UInt8]> {
        let place = String(decoding: opened.realPath, as: UTF8.self)
        let base = opened.realPath.count == 1 ? 1 : opened.realPath.count + 1
        return Set(own.filter { MachinePlace.contains(place, $0) }.map { Array($0.utf8.dropFirst(base)) })
    }

    /// Whether the content of the file, or of an entry of the directory, may be read.
    func isReadable(_ entry: [UInt8]? = nil) -> Bool {
        let path = String(decoding: opened.realPath + (entry.map { [UInt8(ascii: "/")] + $0 } ?? []), as: UTF8.self)
        let own = inner.last { MachinePlace.contains(String(decoding: $0.path, as: UTF8.self), path) }?.allowance
        guard own.map({ $0.files == .read }) ?? true else { return false }
        guard isSecretsShown, own?.showsSecrets ?? true else { return !isSecret(entry) }
        return !isOwn(entry.map { [UInt8(ascii: "/")] + $0 } ?? [])
    }

    private func isOwn(_ inner: [UInt8]) -> Bool {
        let path = String(decoding: opened.realPath + inner, as: UTF8.self)
        return own.contains { MachinePlace.contains($0, path) }
    }

    /// Throws if the content may not be read.
    func requireReadable() throws(CommandRefusal) {
        guard isReadable() else {
            throw CommandRefusal(
                .secretFile,
                "\(String(decoding: absolute, as: UTF8.self)) holds credentials. The machine shows none "
                    + "unless its file agent says secrets=show there."
            )
        }
    }

    private static func root(
        of path: [UInt8],
        _ shown: String,
        _ context: WorkspaceContext
    ) throws(CommandRefusal) -> AgentFile.Root {
        let root = try context.root(of: String(decoding: path, as: UTF8.self), as: shown)
        guard root.allowance.files == .read else {
            throw CommandRefusal(.notAllowed, "The machine's file agent says files=off there.")
        }
        return root
    }

    private static func refuseRepository(_ path: RelativePath) throws(FileFault) {
        guard !path.isInRepository else { throw .notFound }
    }
}

extension CommandRefusal {
    init(_ fault: FileFault, _ shown: String) {
        switch fault {
        case .outside: self.init(.outsideRoots, "\(shown) is not below a root of this machine.")
        case .notFound: self.init(.fileNotFound, "There is no file \(shown).")
        case .denied: self.init(.fileNotFound, "The machine's user may not read \(shown).")
        case .special: self.init(.fileKind, "\(shown) is neither a regular file nor a directory.")
        case .notDirectory: self.init(.fileKind, "\(shown) is not a directory.")
        case .notFile: self.init(.fileKind, "\(shown) is not a regular file.")
        case .links: self.init(.outsideRoots, "\(shown) leads through too many links, or through those of /proc.")
        case .system(let code): self.init(.failed, "\(shown) cannot be read (error \(code)).")
        }
    }
}
