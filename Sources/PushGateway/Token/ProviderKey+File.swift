internal import Signing

extension ProviderKey {
    /// Reads the key in Apple's format: a `.p8` file, PKCS#8 in PEM. `path` must not be a symbolic link. Blocks.
    public init(keyFile path: String, keyID: String, teamID: String) throws(ProviderKeyError) {
        switch SecretFile(path: path).read() {
        case .absent: throw ProviderKeyError(description: "'\(path)' is not there")
        case .unreadable(let code): throw ProviderKeyError(description: "'\(path)' cannot be read (errno \(code))")
        case .bytes(let pem):
            do throws(SigningError) {
                self.init(keyID: keyID, teamID: teamID, key: try ES256PrivateKey(pem: pem))
            } catch {
                throw ProviderKeyError(description: "'\(path)' holds no key that signs: \(error)")
            }
        }
    }
}

/// The key is unusable; another file is needed. Safe to print.
public struct ProviderKeyError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
