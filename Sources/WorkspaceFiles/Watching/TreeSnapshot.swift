/// All files below directories with what tells whether they have changed, for places where the system tells nothing.
package struct TreeSnapshot {
    /// More are not kept.
    package static let mostFiles = 100_000
    private static let mostDepth = 100

    private var files: [[UInt8]: UInt64] = [:]

    package init(_ bases: [WatchBase], leavingOut left: LeftOut, mostFiles: Int = mostFiles) throws(WatchFault) {
        for base in bases {
            try add(base.directory.descriptor, base.prefix, 0, left.paths, left, base, mostFiles)
        }
    }

    package var count: Int { files.count }

    /// What has changed since an earlier snapshot.
    package func note(since earlier: TreeSnapshot, in changes: inout ChangeCoalescer, now: Double) {
        for (path, version) in files where earlier.files[path] != version {
            if earlier.files[path] == nil { changes.created(path, now: now) } else { changes.modified(path, now: now) }
        }
        for path in earlier.files.keys where files[path] == nil { changes.deleted(path, now: now) }
    }

    private mutating func add(
        _ directory: Descriptor,
        _ path: [UInt8],
        _ depth: Int,
        _ skipped: Set<[UInt8]>,
        _ left: LeftOut,
        _ base: WatchBase,
        _ mostFiles: Int
    ) throws(WatchFault) {
        guard depth < TreeSnapshot.mostDepth, (try? directory.isOfKernel) == false,
            let stream = try? DirectoryStream(directory)
        else { return }
        var skipped = skipped
        if depth > 0, base.isRecursive, stream.status(of: Array(".git".utf8)) != nil,
            let inner = try? RelativePath(path)
        {
            skipped.formUnion(left.inner(inner))
        }
        while let entry = try? stream.next() {
            let entryPath = WatchedTree.path(path, entry.name)
            guard !skipped.contains(entryPath), let status = stream.status(of: entry.name) else { continue }
            switch status.kind {
            case .directory where base.isRecursive:
                guard let inner = try? Descriptor(entry.name, in: directory, for: .passingDirectory) else { continue }
                try add(inner, entryPath, depth + 1, skipped, left, base, mostFiles)
            case .file, .link:
                guard files.count < mostFiles else { throw .tooManyFiles }
                files[entryPath] = status.stamp
            case .directory, .special: continue
            }
        }
    }
}
