/// Requirements for an admin token.
package enum AdminToken {
    package static let minimumLength = 32
    /// Random text of 32 letters and digits almost always has at least this many different characters.
    package static let minimumVariety = 8

    package static let weakness =
        "is too weak: at least \(minimumLength) characters, \(minimumVariety) of them different, as made by "
        + "'openssl rand -hex 32'"

    package static func isStrong(_ token: String) -> Bool {
        token.unicodeScalars.count >= minimumLength && Set(token.unicodeScalars).count >= minimumVariety
    }
}
