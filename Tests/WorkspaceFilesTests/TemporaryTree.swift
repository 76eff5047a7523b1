import Foundation

@testable import WorkspaceFiles

/// A directory that is removed with the last reference.
final class TemporaryTree: Sendable {
    let path: String

    init() throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("tree-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        guard let real = realpath(place.path, nil) else { throw FileFault.notFound }
        defer { free(real) }
        path = String(cString: real)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func directory(_ name: String) throws -> TemporaryTree {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        return self
    }

    @discardableResult
    func file(_ name: String, _ text: String = "text\n") throws -> TemporaryTree {
        guard FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(text.utf8)) else {
            throw FileFault.denied
        }
        return self
    }

    @discardableResult
    func link(_ name: String, to target: String) throws -> TemporaryTree {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
        return self
    }

    func root(_ name: String = "", _ opener: BeneathOpener = .best) throws -> RootDirectory {
        try RootDirectory(name.isEmpty ? path : "\(path)/\(name)", opener: opener)
    }
}

extension RelativePath {
    init(_ text: String) throws(FileFault) { try self.init(Array(text.utf8)) }
}

extension RootDirectory {
    func text(_ path: String) throws -> String {
        let file = try open(RelativePath(path))
        return String(decoding: try file.read(from: 0, count: 1 << 16).bytes, as: UTF8.self)
    }
}
