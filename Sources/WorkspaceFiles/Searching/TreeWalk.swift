/// Visits what is below a directory, without following links. Depth first; an order within a directory is not promised.
struct TreeWalk {
    private static let mostDepth = 100

    /// Returns the paths below the walk's beginning that git ignores in the repository at a directory.
    typealias Ignored = (_ directory: RelativePath) -> Set<[UInt8]>

    let ignored: Ignored
    /// Whether the walk goes on. Asked before each directory.
    let mayContinue: () -> Bool
    /// Called for each regular file and each link, with the directory that contains it.
    let visit: (_ directory: RelativePath, _ name: [UInt8], _ kind: FileStatus.Kind, _ place: DirectoryStream) -> Bool

    /// Returns false if it did not visit everything.
    func run(_ directory: OpenedFile, skipping: Set<[UInt8]>) -> Bool {
        walk(directory.descriptor, RelativePath(parts: []), skipping)
    }

    private func walk(_ directory: Descriptor, _ path: RelativePath, _ skipped: Set<[UInt8]>) -> Bool {
        guard mayContinue(), path.parts.count < TreeWalk.mostDepth, (try? directory.isOfKernel) == false,
            let stream = try? DirectoryStream(directory)
        else { return false }
        let isRepository = stream.status(of: Array(".git".utf8)) != nil && !path.parts.isEmpty
        let skipped = isRepository ? skipped.union(ignored(path)) : skipped
        var isWhole = true
        while let entry = try? stream.next() {
            guard let kind = entry.kind ?? stream.status(of: entry.name)?.kind else { continue }
            if !skipped.isEmpty, skipped.contains(path.appending(entry.name).bytes) { continue }
            switch kind {
            case .directory:
                // One that cannot be read does not end the walk.
                guard let inner = try? Descriptor(entry.name, in: directory, for: .passingDirectory) else { continue }
                isWhole = walk(inner, path.appending(entry.name), skipped) && isWhole
                guard mayContinue() else { return false }
            case .file, .link: guard visit(path, entry.name, kind, stream) else { return false }
            case .special: continue
            }
        }
        return isWhole
    }
}
