package struct AppleAttempt: Sendable {
    /// The identity token issued by Apple.
    package var identityToken: String
    package var nonce: String
    /// Code or token of an invitation, for a person's first sign-in.
    package var invitation: String?
}
