/// The names of all files below a directory, in a form that is small and quick to look through.
package struct NameIndex: Sendable {
    /// In the order of the walk.
    private var directories: [[UInt8]] = []
    private var directoryLetters: [UInt64] = []
    /// The names, one after the other, as they are and in lower case.
    private var names: [UInt8] = []
    private(set) var folded: [UInt8] = []
    private var starts: [UInt32] = [0]
    private var places: [UInt32] = []
    private(set) var letters: [UInt64] = []
    /// Whether all files are in it.
    package private(set) var isWhole = true

    /// What it takes of memory.
    package static let mostBytes = 120 << 20

    package var count: Int { places.count }

    package private(set) var byteCount = 0

    /// - Parameters:
    ///   - skipping: paths below the directory that are left out.
    ///   - ignored: of each repository below the directory, the paths below the directory that git ignores.
    ///   - mayContinue: whether there is still time.
    package init(
        of directory: OpenedFile,
        skipping: Set<[UInt8]>,
        ignored: @escaping (RelativePath) -> Set<[UInt8]>,
        mayContinue: @escaping () -> Bool,
        mostBytes: Int = NameIndex.mostBytes
    ) {
        var index = NameIndex()
        var latest: RelativePath?
        let walk = TreeWalk(ignored: ignored, mayContinue: mayContinue) { path, name, _, _ in
            if path != latest {
                index.add(directory: path.bytes)
                latest = path
            }
            index.add(name)
            return index.byteCount < mostBytes
        }
        let isWhole = walk.run(directory, skipping: skipping)
        self = index
        self.isWhole = isWhole
    }

    init() {}

    mutating func add(directory: [UInt8]) {
        directories.append(directory)
        directoryLetters.append(NameIndex.letters(of: directory.map(\.folded)))
        byteCount += directory.count + 40
    }

    mutating func add(_ name: [UInt8]) {
        let plain = name.map(\.folded)
        names += name
        folded += plain
        starts.append(UInt32(names.count))
        places.append(UInt32(directories.count - 1))
        letters.append(NameIndex.letters(of: plain) | (directoryLetters.last ?? 0))
        byteCount += 2 * name.count + 16
    }

    /// A set of the bytes, with one bit for each; several bytes share a bit.
    static func letters(of text: some Sequence<UInt8>) -> UInt64 { text.reduce(0) { $0 | 1 << UInt64($1 & 63) } }

    func range(of number: Int) -> Range<Int> { Int(starts[number])..<Int(starts[number + 1]) }

    func directory(of number: Int) -> [UInt8] { directories[Int(places[number])] }

    /// The path below the directory.
    package func path(of number: Int) -> [UInt8] {
        let directory = directory(of: number)
        return (directory.isEmpty ? [] : directory + [UInt8(ascii: "/")]) + names[range(of: number)]
    }
}

extension UInt8 {
    /// The byte in lower case if it is an ASCII letter, else the byte itself.
    var folded: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
