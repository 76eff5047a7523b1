import Foundation
import Testing

@testable import Host

@Suite final class AdminTokenTests {
    private let path: String
    private var tokenPath: String { path + "/admin.token" }

    init() throws {
        path = NSTemporaryDirectory() + "admin-token." + UUID().uuidString
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    @Test(arguments: ["", "secret", String(repeating: "a", count: 64), "abcabcabcabcabcabcabcabcabcabcabcabc"])
    func aWeakOneIsRefused(token: String) throws {
        let directory = try DataDirectory(path: path)
        #expect(throws: DataDirectoryError.self) { try directory.adminToken(configured: token) }
        guard !token.isEmpty else { return }
        try token.write(toFile: tokenPath, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokenPath)
        let error = #expect(throws: DataDirectoryError.self) { try directory.adminToken(configured: nil) }
        #expect(error?.description.contains("too weak") == true)
        #expect(error?.description.contains(token) == false)
    }

    @Test(arguments: [0o644, 0o660, 0o602, 0o604])
    func aFileThatIsOpenToOthersIsRefused(mode: Int) throws {
        let directory = try DataDirectory(path: path)
        let token = try directory.adminToken(configured: nil)
        #expect(AdminToken.isStrong(token))
        #expect(try directory.adminToken(configured: nil) == token)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: tokenPath)
        let error = #expect(throws: DataDirectoryError.self) { try directory.adminToken(configured: nil) }
        #expect(error?.description.contains("chmod 600") == true)
    }

    @Test func aDirectoryThatAnybodyMayWriteToIsRefused() throws {
        let directory = try DataDirectory(path: path)
        _ = try directory.adminToken(configured: nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        #expect(throws: DataDirectoryError.self) { try directory.adminToken(configured: nil) }
    }
}
