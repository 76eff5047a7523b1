/// Requirements for an admin token.
enum AdminToken {
    static let minimumLength = 32
    /// Random text of 32 letters and digits almost always has at least this many different characters.
    static let minimumVariety = 8

    static let weakness =
        "is too weak: at least \(minimumLength) characters, \(minimumVariety) of them different, as made by "
        + "'openssl rand -hex 32'"

    static func isStrong(_ token: String) -> Bool {
        token.unicodeScalars.count >= minimumLength && Set(token.unicodeScalars).count >= minimumVariety
    }
}
