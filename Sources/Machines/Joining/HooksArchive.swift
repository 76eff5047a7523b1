internal import API
internal import Compression
internal import Signing

/// The hooks for machines that download them from this server: an archive, and the script that fetches and installs it.
package struct HooksArchive: Sendable {
    /// A file of the directory `hooks`.
    package struct File: Sendable {
        package var path: String
        package var contents: [UInt8]

        package init(path: String, contents: [UInt8]) {
            (self.path, self.contents) = (path, contents)
        }
    }

    private static let scriptPath = "download.sh"

    /// Compressed with gzip.
    let archive: [UInt8]
    private let digest: String
    private let script: String

    /// Returns `nil` if the files do not contain the script, or there is not enough memory.
    package init?(_ files: [File]) {
        guard let script = files.first(where: { $0.path == HooksArchive.scriptPath }) else { return nil }
        var tar = TarWriter()
        for file in files.sorted(by: { $0.path < $1.path }) {
            tar.add("hooks/" + file.path, file.contents, isExecutable: file.path.hasSuffix(".sh"))
        }
        guard let archive = Deflater(.gzip, level: 9)?.deflate(tar.archive, isLast: true) else { return nil }
        self.archive = archive
        digest = Hex.encode(Digest.sha256(archive))
        self.script = String(decoding: script.contents, as: UTF8.self)
    }

    /// The script for a machine that reaches the server at this address. It names the agents that the server has.
    func script(for address: String, _ agents: AgentReleases) -> [UInt8] {
        let own = script.replacing("@SHA256@", with: ShellWord(digest).description)
            .replacing("@AGENTS@", with: ShellWord(agents.table).description)
        return Array(own.replacing("@URL@", with: ShellWord(address).description).utf8)
    }
}
