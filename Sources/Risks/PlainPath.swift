/// Normalizes paths, which are marked words: removes empty, `.` and `..` components.
enum PlainPath {
    private static let slash = UInt8(ascii: "/")

    static func isAbsolute(_ path: [UInt8]) -> Bool { path.first == slash || path.first == UInt8(ascii: "~") }

    /// Returns the normalized path, joined to the directory if it is relative. If `..` leads above the known
    /// directories, the first component is `ShellMark.unknown`.
    static func of(_ path: [UInt8], in directory: [UInt8] = []) -> [UInt8] {
        let isOwn = isAbsolute(path) || path.first == ShellMark.unknown || directory.isEmpty
        let path = isOwn ? path : directory + [slash] + path
        let isRooted = path.first == slash
        var kept: [ArraySlice<UInt8>] = []
        var isChanged = path.last == slash
        for part in path.split(separator: slash, omittingEmptySubsequences: false).dropFirst(isRooted ? 1 : 0) {
            if part.isEmpty || part == [UInt8(ascii: ".")] {
                isChanged = true
                continue
            }
            guard part == Array("..".utf8)[...] else {
                kept.append(part)
                continue
            }
            isChanged = true
            if !kept.isEmpty, isRooted || kept.count > 1 || !isBase(kept[0]) {
                kept.removeLast()
            } else if !isRooted {
                kept = [[ShellMark.unknown]]
            }
        }
        return isChanged ? (isRooted ? [slash] : []) + kept.joined(separator: [slash]) : path
    }

    /// Whether the first component of a path is a home directory or a directory that only the shell knows.
    static func isBase(_ part: some Collection<UInt8>) -> Bool {
        part.first == UInt8(ascii: "~") || part.first == ShellMark.unknown
    }
}

/// The project's directory.
struct ProjectDirectory: Sendable {
    let root: [UInt8]

    init(_ path: String) { root = PlainPath.of(Array(path.utf8)) }

    /// Whether the normalized, absolute path is the directory or below it.
    func contains(_ path: [UInt8]) -> Bool {
        guard !root.isEmpty, root != [UInt8(ascii: "/")], path.starts(with: root) else { return false }
        return path.count == root.count || path[root.count] == UInt8(ascii: "/")
    }
}

/// The possible working directories of a command. The first one is the project's.
struct WorkingDirectories {
    private static let maximumCount = 16

    let project: ProjectDirectory
    private(set) var places: [[UInt8]] = [[]]
    /// The directory to which the last `cd` leads from the project, if each succeeds.
    private var latest: [UInt8]

    init(project: ProjectDirectory) { (self.project, latest) = (project, project.root) }

    /// Adds the directories to which `cd` may lead. Keeps the earlier ones, because `cd` may fail, and has no effect
    /// after its subshell ends.
    mutating func move(to target: [UInt8]) {
        for place in places {
            let isFull = places.count >= WorkingDirectories.maximumCount
            let path = isFull ? [ShellMark.unknown] : PlainPath.of(target, in: place)
            if !places.contains(path) { places.append(path) }
        }
        latest = WorkingDirectories.whole(target, in: latest)
    }

    /// Returns the normalized path, with home directories in `/home`.
    private static func whole(_ path: [UInt8], in directory: [UInt8]) -> [UInt8] {
        func placed(_ path: [UInt8]) -> [UInt8] {
            path.first == UInt8(ascii: "~") ? Array("/home/".utf8) + path : path
        }
        return PlainPath.of(placed(path), in: placed(directory))
    }

    /// Returns the normalized path for each possible working directory.
    func plain(_ path: [UInt8]) -> [[UInt8]] {
        if PlainPath.isAbsolute(path) { return [PlainPath.of(path, in: places[0])] }
        return places.map { PlainPath.of(path, in: $0) }
    }

    /// Returns the normalized path, if it is known and not inside the project, for the latest working directory and for
    /// each that has an absolute path.
    func outside(_ path: [UInt8]) -> [[UInt8]] {
        let bases = [latest] + (PlainPath.isAbsolute(path) ? [] : places.filter(PlainPath.isAbsolute))
        return bases.map { WorkingDirectories.whole(path, in: $0) }.filter { place in
            if place.first == ShellMark.unknown { return path.first == ShellMark.unknown }
            return place.first == UInt8(ascii: "/") && !project.contains(ShellMark.unmarked(place))
        }
    }

    /// Whether the path is inside the project from every possible working directory.
    func isInside(_ path: [UInt8]) -> Bool {
        if path.first == UInt8(ascii: "~") { return false }
        let leaves = path.split(separator: UInt8(ascii: "/")).contains(where: WorkingDirectories.mayLeave)
        if leaves { return false }
        return plain(path).allSatisfy { place in
            if !place.isEmpty, PlainPath.isBase(place) { return false }
            return place.first != UInt8(ascii: "/") || project.contains(ShellMark.unmarked(place))
        }
    }

    /// Whether a component of a path is `..`, or a pattern that can match `..`.
    private static func mayLeave(_ part: ArraySlice<UInt8>) -> Bool {
        let dots = part.prefix(2).prefix { $0 == UInt8(ascii: ".") }.count
        guard dots > 0 else { return false }
        let next = part.dropFirst(dots).first
        return next == nil ? dots == 2 : next?.isOne(of: .wildcards) == true
    }
}
