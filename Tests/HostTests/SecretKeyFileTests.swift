import Foundation
import Signing
import Testing

@testable import Host

@Suite struct SecretKeyFileTests {
    private let directory: DataDirectory
    private let file: SecretKeyFile

    init() throws {
        let path = NSTemporaryDirectory() + "secrets-\(UUID().uuidString)"
        directory = try DataDirectory(path: path)
        file = SecretKeyFile(in: directory)
    }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    @Test func missingFileHoldsNoKeys() throws {
        #expect(try file.read() == [])
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func keepsKeysForTheOwnerOnly() throws {
        let keys = try (0..<3).map { _ in try SecretKey.generate() }
        try file.write(keys)
        #expect(try file.read() == keys)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try file.write([keys[1]])
        #expect(try file.read() == [keys[1]])
    }

    @Test func refusesAFileThatIsOpenToOthers() throws {
        try write(try SecretKey.generate().text + "\n", mode: 0o644)
        #expect(throws: DataDirectoryError.self) { try file.read() }
    }

    @Test(arguments: ["no key\n", "AAAA\n"])
    func refusesALineThatIsNoKey(_ text: String) throws {
        try write(text)
        let error = #expect(throws: DataDirectoryError.self) { try file.read() }
        #expect(error?.description.contains(text.dropLast()) == false)
    }
}
