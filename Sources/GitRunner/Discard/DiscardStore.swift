internal import Glibc
internal import JSON
internal import MachinePolicy
internal import Signing
internal import Workers

/// What was discarded, for 30 days: a directory for each time, with the files as they were and a list of them.
package struct DiscardStore: Sendable {
    /// The agent's own directory for them.
    let directory: String
    let now: @Sendable () -> Int64

    static let days: Int64 = 30
    /// The most bytes that one discard saves.
    private static let mostBytes = 256 << 20
    /// The most bytes that all saved discards take together.
    private let capacity: Int

    struct Entry: Sendable {
        var id: String
        var workTree: String
        var files: [File]
        var bytes = 0
    }

    struct File: Sendable, Equatable {
        enum Kind: String, Sendable { case absent, plain, executable, link }

        var path: GitPath
        var kind: Kind
        /// Of the contents that discarding has left; nil while it is not over.
        var left: String?
    }

    package init(_ settings: GitSettings) {
        (directory, now) = (settings.stateDirectory + "/discards", settings.now)
        capacity = settings.discardCapacity
    }

    // MARK: Saving

    /// Saves the files as they are in the work tree.
    func save(_ paths: [GitPath], of repository: GitRepository) throws(GitError) -> Entry {
        let workTree = try repository.requireWorkTree()
        let room = min(DiscardStore.mostBytes, capacity - forgetOld())
        var random = SystemRandomNumberGenerator()
        let id = "dsc_" + decoded(Base62.random(20, using: &random))
        _ = unsafe mkdir(directory, 0o700)
        guard unsafe mkdir(directory + "/" + id, 0o700) == 0 else { throw .failed("\(directory) cannot be written") }
        var entry = Entry(id: id, workTree: workTree, files: [])
        do throws(GitError) {
            for (number, path) in paths.enumerated() {
                try save(path, as: number, in: &entry, room: room)
            }
            try write(entry)
        } catch {
            remove(id)
            throw error
        }
        return entry
    }

    private func save(_ path: GitPath, as number: Int, in entry: inout Entry, room: Int) throws(GitError) {
        guard let (kind, bytes) = WorkTreeFile.read(path, in: entry.workTree, atMost: max(0, room - entry.bytes)) else {
            throw .tooLarge(
                "\(path.text) cannot be saved: it is not a file, or too large. "
                    + "\(directory) holds what was discarded in the last \(DiscardStore.days) days."
            )
        }
        entry.bytes += bytes.count
        if kind != .absent { try WorkTreeFile.save(bytes, to: "\(directory)/\(entry.id)/\(number)") }
        entry.files.append(File(path: path, kind: kind))
    }

    /// Records what discarding has left, so that an undo does not overwrite later work.
    func complete(_ entry: Entry, of repository: GitRepository) throws(GitError) {
        var entry = entry
        for index in entry.files.indices {
            entry.files[index].left = try digest(entry.files[index].path, entry.workTree)
        }
        try write(entry)
    }

    /// Undoes a discard.
    func undo(_ id: String, of repository: GitRepository) throws(GitError) -> [GitPath] {
        let workTree = try repository.requireWorkTree()
        guard let entry = read(id), entry.workTree == workTree else {
            throw .notFound("There is nothing to undo: \(id.prefix(64)).")
        }
        for file in entry.files where try !isUndoable(file, entry, repository) {
            throw .changedMeanwhile(file.path.text)
        }
        // A file may have been where a directory was.
        let isAbsentFirst = entry.files.sorted { $0.kind == .absent && $1.kind != .absent }
        for file in isAbsentFirst {
            let (kind, bytes) = try saved(file, entry)
            try WorkTreeFile.put(kind, bytes, at: file.path, in: workTree)
        }
        return entry.files.map(\.path)
    }

    /// Whether an undo overwrites only what the discard has left.
    private func isUndoable(
        _ file: File,
        _ entry: Entry,
        _ repository: GitRepository
    ) throws(GitError) -> Bool {
        if try file.left == digest(file.path, entry.workTree) { return true }
        guard let present = WorkTreeFile.read(file.path, in: entry.workTree, atMost: DiscardStore.mostBytes) else {
            return false
        }
        // What is as it was needs no undoing.
        let (kind, bytes) = try saved(file, entry)
        if present.kind == kind, present.bytes == bytes { return true }
        // The agent was killed before it could record what the discard has left.
        guard file.left == nil else { return false }
        if present.kind == .absent { return true }
        return try repository.isAsInIndex(file.path)
    }

    private func saved(_ file: File, _ entry: Entry) throws(GitError) -> (File.Kind, [UInt8]) {
        guard file.kind != .absent else { return (.absent, []) }
        let number = entry.files.firstIndex(of: file) ?? 0
        guard
            case .text(let bytes, _, _) = SmallFile.read(
                "\(directory)/\(entry.id)/\(number)",
                atMost: DiscardStore.mostBytes
            )
        else { throw .failed("What was saved of \(file.path.text) cannot be read.") }
        return (file.kind, bytes)
    }

    private func digest(_ path: GitPath, _ workTree: String) throws(GitError) -> String {
        guard let (kind, bytes) = WorkTreeFile.read(path, in: workTree, atMost: DiscardStore.mostBytes) else {
            return "other"
        }
        return kind.rawValue + " " + Hex.encode(Digest.sha256(bytes))
    }

    // MARK: The list

    private func write(_ entry: Entry) throws(GitError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("at", now())
        writer.field("work_tree", entry.workTree)
        writer.field("bytes", Int64(entry.bytes))
        let files = entry.files.map { file in
            JSONValue.object(
                [("path", .string(Base64.encode(file.path.bytes))), ("kind", .string(file.kind.rawValue))]
                    + (file.left.map { [("left", .string($0))] } ?? [])
            )
        }
        writer.field("files", JSONValue.array(files))
        writer.endObject()
        let path = "\(directory)/\(entry.id)/list.json"
        try WorkTreeFile.save(writer.bytes, to: path + ".new")
        guard unsafe rename(path + ".new", path) == 0 else { throw .failed("\(path) cannot be written") }
    }

    private func read(_ id: String) -> Entry? {
        guard id.hasPrefix("dsc_"), id.utf8.count == 24,
            id.utf8.dropFirst(4).allSatisfy({ Base62.alphabet.contains($0) }),
            case .text(let text, _, _) = SmallFile.read("\(directory)/\(id)/list.json", atMost: 16 << 20),
            let value = try? JSONValue.parse(text), let workTree = value["work_tree"]?.string
        else { return nil }
        var entry = Entry(id: id, workTree: workTree, files: [], bytes: Int(clamping: value["bytes"]?.integer ?? 0))
        for file in value["files"]?.array ?? [] {
            guard let path = file["path"]?.string.flatMap({ Base64.decode($0) }),
                let kind = file["kind"]?.string.flatMap(File.Kind.init(rawValue:))
            else { return nil }
            entry.files.append(File(path: GitPath(path), kind: kind, left: file["left"]?.string))
        }
        return entry
    }

    /// Returns the bytes of what is kept.
    private func forgetOld() -> Int {
        var kept = 0
        for id in DirectoryNames.all(in: directory) where id.hasPrefix("dsc_") {
            guard case .text(let text, _, _) = SmallFile.read("\(directory)/\(id)/list.json", atMost: 16 << 20),
                let list = try? JSONValue.parse(text), let at = list["at"]?.integer
            else { continue }
            if now() - at > DiscardStore.days * 86_400_000 {
                remove(id)
            } else {
                kept += Int(clamping: list["bytes"]?.integer ?? 0)
            }
        }
        return kept
    }

    private func remove(_ id: String) {
        let place = directory + "/" + id
        for name in DirectoryNames.all(in: place) { _ = unsafe unlink(place + "/" + name) }
        _ = unsafe rmdir(place)
    }
}
