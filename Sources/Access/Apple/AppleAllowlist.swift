/// The people who may sign in with Apple without an invitation: subjects and e-mail addresses.
package struct AppleAllowlist: Sendable, Equatable {
    private var subjects: Set<String> = []
    /// In lower case.
    package private(set) var emails: [String] = []

    package init(_ entries: [String]) {
        for entry in entries {
            if entry.contains("@") {
                emails.append(entry.lowercased())
            } else {
                subjects.insert(entry)
            }
        }
    }

    package func allowsSubject(of identity: AppleIdentity) -> Bool { subjects.contains(identity.subject) }

    /// The person's address if it is on the list and Apple has verified it. An address admits only the first subject
    /// that presents it, because addresses change owners and subjects do not.
    package func email(of identity: AppleIdentity) -> String? {
        identity.verifiedEmail.flatMap { emails.contains($0) ? $0 : nil }
    }
}
