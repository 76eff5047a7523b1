/// A part of a directory's entries.
package struct DirectoryPage: Sendable {
    package struct Entry: Sendable {
        package let name: [UInt8]
        package let status: FileStatus
        /// What a link leads to, if that is below the root.
        package let target: FileStatus?
    }

    /// Where a page begins.
    package enum Start: Sendable, Equatable {
        /// The number of entries before it.
        case offset(Int)
        /// After the directory or file of this name, in a sorted list.
        case after(name: [UInt8], isDirectory: Bool)
        /// Where the file system is, in a list that is not sorted.
        case place(Int)
    }

    package private(set) var entries: [Entry] = []
    /// `nil` if they are not counted.
    package private(set) var files: Int?
    package private(set) var directories: Int?
    /// Directories first, each by the bytes of their names.
    package private(set) var isSorted = true
    /// Where the next page begins; `nil` after the last.
    package private(set) var next: Start?

    /// The most entries that are sorted.
    package static let mostSorted = 10_000
    /// The bytes of the names of a page, so that it fits a message.
    private static let mostNameBytes = 96 << 10

    /// - Parameters:
    ///   - limit: of the entries.
    ///   - showsHidden: whether names that begin with a dot count.
    package init(
        of directory: OpenedFile,
        at path: RelativePath,
        below root: RootDirectory,
        from start: Start,
        limit: Int,
        showsHidden: Bool = true
    ) throws(FileFault) {
        guard directory.status.kind == .directory else { throw .notDirectory }
        let stream = try DirectoryStream(directory.descriptor, showsHidden: showsHidden)
        if case .place(let place) = start {
            stream.place = place
            try readOn(stream, path, root, limit)
            return
        }
        var all: [DirectoryStream.Entry] = []
        while all.count <= DirectoryPage.mostSorted, let entry = try stream.next() { all.append(entry) }
        guard all.count <= DirectoryPage.mostSorted else {
            guard case .offset(var rest) = start else { throw .notFound }
            stream.place = 0
            while rest > 0, try stream.next() != nil { rest -= 1 }
            try readOn(stream, path, root, limit)
            return
        }
        sort(all, stream, path, root, start, limit)
    }

    /// A page of a directory that is too large to sort.
    private mutating func readOn(
        _ stream: DirectoryStream,
        _ path: RelativePath,
        _ root: RootDirectory,
        _ limit: Int
    ) throws(FileFault) {
        isSorted = false
        var bytes = 0
        while entries.count < limit, bytes < DirectoryPage.mostNameBytes, let entry = try stream.next() {
            bytes += entry.name.count
            add(entry.name, stream, path, root)
        }
        let place = stream.place
        if try stream.next() != nil { next = .place(place) }
    }

    private mutating func sort(
        _ all: [DirectoryStream.Entry],
        _ stream: DirectoryStream,
        _ path: RelativePath,
        _ root: RootDirectory,
        _ start: Start,
        _ limit: Int
    ) {
        let known = all.map { ($0.name, $0.kind ?? stream.status(of: $0.name)?.kind ?? .special) }
        let inside = known.filter { $0.1 == .directory }.map(\.0).sorted { $0.lexicographicallyPrecedes($1) }
        let others = known.filter { $0.1 != .directory }.map(\.0).sorted { $0.lexicographicallyPrecedes($1) }
        (directories, files) = (inside.count, others.count)
        let names = inside + others
        var index = 0
        switch start {
        case .offset(let offset): index = min(offset, names.count)
        case .after(let name, true): index = inside.firstIndex { name.lexicographicallyPrecedes($0) } ?? inside.count
        case .after(let name, false):
            let place = others.firstIndex { name.lexicographicallyPrecedes($0) } ?? others.count
            index = inside.count + place
        case .place: break
        }
        var bytes = 0
        while index < names.count, entries.count < limit, bytes < DirectoryPage.mostNameBytes {
            bytes += names[index].count
            add(names[index], stream, path, root)
            index += 1
        }
        guard index > 0, index < names.count else { return }
        next = .after(name: names[index - 1], isDirectory: index <= inside.count)
    }

    private mutating func add(
        _ name: [UInt8],
        _ stream: DirectoryStream,
        _ path: RelativePath,
        _ root: RootDirectory
    ) {
        // One that is gone meanwhile is not listed.
        guard let status = stream.status(of: name) else { return }
        let target = status.kind == .link ? (try? root.open(path.appending(name)))?.status : nil
        entries.append(Entry(name: name, status: status, target: target))
    }
}
