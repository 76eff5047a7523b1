internal import EventModel
package import HTTPModel

/// A built `monitor-agent` for one platform, which machines download from this server.
package struct AgentRelease: Sendable {
    /// The operating system and the processor, such as `linux-x86_64`.
    package let platform: String
    package let version: String
    /// SHA-256 of the program, in hexadecimal digits.
    let digest: String
    /// `nil` if the release is not signed.
    let seal: Seal?
    let program: BodyStream

    /// The platforms that an agent can be built for.
    package static let platforms = ["linux-x86_64", "linux-aarch64", "darwin-x86_64", "darwin-aarch64"]

    /// An Ed25519 signature of version, platform and digest.
    struct Seal: Sendable, Equatable {
        /// The public key, 32 bytes in base64url.
        let key: String
        /// 64 bytes in base64url.
        let signature: String
    }

    /// Returns `nil` if the text does not describe a release.
    ///
    /// - Parameter description: lines `name=value` that scripts/build-agent writes beside the program.
    package init?(platform: String, description: [UInt8], program: @escaping BodyStream) {
        var values: [String: String] = [:]
        for line in String(decoding: description, as: UTF8.self).split(separator: "\n") {
            guard let sign = line.firstIndex(of: "=") else { return nil }
            values[String(line[..<sign])] = String(line[line.index(after: sign)...])
        }
        guard let version = values["version"], (1...64).contains(version.utf8.count),
            version.utf8.allSatisfy(AgentRelease.isPlain),
            let digest = values["sha256"], digest.utf8.count == 64,
            digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        (self.platform, self.version, self.digest, self.program) = (platform, version, digest, program)
        guard let key = values["key"], let signature = values["signature"] else {
            seal = nil
            return
        }
        guard key.utf8.count == 43, signature.utf8.count == 86, (key + signature).utf8.allSatisfy(AgentRelease.isPlain)
        else { return nil }
        seal = Seal(key: key, signature: signature)
    }

    /// Whether the byte stands for itself in HTTP's headers and in a shell.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte)
        }
    }
}

/// The releases that this server has, at most one for each platform.
package struct AgentReleases: Sendable {
    private let list: [AgentRelease]

    package init(_ list: [AgentRelease]) { self.list = list }

    subscript(platform: String) -> AgentRelease? { list.first { $0.platform == platform } }

    /// The version for each platform.
    package var versions: [String: String] {
        Dictionary(list.map { ($0.platform, $0.version) }, uniquingKeysWith: { first, _ in first })
    }

    /// For the installer: lines of platform, version, digest and public key, which is `-` for a release without one.
    var table: String {
        list.map { "\($0.platform) \($0.version) \($0.digest) \($0.seal?.key ?? "-")" }.joined(separator: "\n")
    }

    /// The version of this server's release for the agent's platform, if it is newer than the agent.
    func update(of agent: MachineAgent) -> String? {
        guard let platform = agent.platform, let release = self[platform], let latest = ClientVersion(release.version),
            let own = agent.version.flatMap(ClientVersion.init), own < latest
        else { return nil }
        return release.version
    }
}
