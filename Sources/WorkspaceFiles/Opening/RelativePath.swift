/// A path below a root, as bytes: names of files need not be UTF-8.
package struct RelativePath: Sendable, Hashable {
    package let parts: [[UInt8]]

    private static let slash = UInt8(ascii: "/")
    /// PATH_MAX, and the bytes of a name.
    private static let mostBytes = 4096, mostName = 255

    package init(parts: [[UInt8]]) { self.parts = parts }

    /// Empty components and `.` have no meaning. Refuses absolute paths, `..` and NUL.
    package init(_ path: some Collection<UInt8>) throws(FileFault) {
        guard path.first != RelativePath.slash, !path.contains(0) else { throw .outside }
        guard path.count < RelativePath.mostBytes else { throw .notFound }
        var parts: [[UInt8]] = []
        for part in path.split(separator: RelativePath.slash) {
            if part.elementsEqual(".".utf8) { continue }
            guard !part.elementsEqual("..".utf8) else { throw .outside }
            guard part.count <= RelativePath.mostName else { throw .notFound }
            parts.append(Array(part))
        }
        self.parts = parts
    }

    /// With slashes between the components; empty for the root itself.
    package var bytes: [UInt8] { Array(parts.joined(separator: [RelativePath.slash])) }

    package func appending(_ name: [UInt8]) -> RelativePath { RelativePath(parts: parts + [name]) }

    /// Whether it is, or is below, something that git keeps for itself.
    package var isInRepository: Bool { parts.contains { RelativePath.isRepository($0) } }

    /// Whether a name is `.git`, on a file system that ignores case as well.
    package static func isRepository(_ name: some Collection<UInt8>) -> Bool {
        name.count == 4 && zip(name, ".git".utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 && $1 != UInt8(ascii: ".") }
    }
}
