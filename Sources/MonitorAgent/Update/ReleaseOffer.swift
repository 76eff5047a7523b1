internal import EventModel
internal import Signing

/// A release of the agent that a server offers, as the head of its answer describes it.
struct ReleaseOffer: Sendable, Equatable {
    var version: String
    /// SHA-256 of the program, in hexadecimal digits.
    var digest: String
    /// Ed25519 in base64url; `nil` if the release is not signed.
    var signature: String?

    /// What follows from an offer.
    enum Verdict: Equatable {
        case newer
        case same
        /// The reason in words.
        case refused(String)
    }

    /// Returns `nil` if the head is not that of a release.
    ///
    /// - Parameter head: the status line and the lines `name: value`. An earlier head of a proxy may precede it.
    init?(head: String) {
        var values: [String: String] = [:]
        var status = ""
        for line in head.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("HTTP/") {
                (values, status) = ([:], String(line.split(separator: " ").dropFirst().first ?? ""))
            } else if let sign = line.firstIndex(of: ":") {
                let value = line[line.index(after: sign)...].drop { $0 == " " }
                values[line[..<sign].lowercased()] = String(value)
            }
        }
        guard status == "200", let version = values["x-agent-version"], let digest = values["x-agent-sha256"],
            digest.utf8.count == 64
        else { return nil }
        (self.version, self.digest, signature) = (version, digest, values["x-agent-signature"])
    }

    /// Whether a machine may take the release in place of its own version.
    ///
    /// - Parameter key: the public key that the installer has stored, in base64url.
    func judge(key: String, platform: String, own: String) -> Verdict {
        guard let offered = ClientVersion(version), let present = ClientVersion(own) else {
            return .refused("the versions \(own) and \(version) cannot be compared")
        }
        guard offered >= present else {
            return .refused("the server has the older version \(version); an update never goes back")
        }
        guard let signature else { return .refused("the server's release is not signed") }
        guard let bytes = Base64URL.decode(key), let key = try? Ed25519PublicKey(raw: bytes),
            let signature = Base64URL.decode(signature),
            (try? key.isValid(signature, of: signedText(platform))) == true
        else { return .refused("the signature of the server's release was not made with the key of the first install") }
        return offered == present ? .same : .newer
    }

    /// The signature also covers version and platform: an old release cannot be offered as a newer one.
    private func signedText(_ platform: String) -> [UInt8] {
        Array("monitor-agent \(version) \(platform) \(digest)\n".utf8)
    }
}
