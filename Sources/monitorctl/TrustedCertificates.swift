import CCurlTrust
import Foundation

/// The certificate authorities that transfers trust, if not the system's.
enum TrustedCertificates {
    /// Maximum bytes of the file.
    private static let limit = 4 << 20

    /// Trusts the authorities in a PEM file, and no others, for all connections of the process. Call it before the
    /// first connection.
    static func use(file path: String) throws(CommandError) {
        let pem: Data
        do {
            pem = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw .refused("the CA file \(path) cannot be read")
        }
        guard pem.count <= limit, pem.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
            throw .refused("the CA file \(path) contains no PEM certificate")
        }
        let isTrusted = pem.withUnsafeBytes { bytes in
            curl_trust_only(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
        }
        guard isTrusted else { throw .refused("--ca-file needs libcurl 7.77 or later") }
    }
}
