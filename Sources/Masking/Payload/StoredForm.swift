package import JSON

/// How text of sources other than hooks is stored under the content policy.
package struct StoredForm: Sendable {
    package let policy: ContentPolicy
    private var writer: PayloadWriter

    /// The form of the payloads of hooks.
    package init(policy: ContentPolicy) {
        self.policy = policy
        writer = PayloadWriter(policy: policy)
    }

    /// - Parameters:
    ///   - stringLimits: numbers of characters to keep of a string, tried in order until the object is small enough.
    ///   - maxBytes: the maximum size of an object. The policy `full` ignores both limits.
    package init(policy: ContentPolicy, stringLimits: [Int], maxBytes: Int) {
        self.init(policy: policy)
        writer.stringLimits = stringLimits
        writer.maxBytes = maxBytes
    }

    package func payload(of object: JSONElement) -> [UInt8] {
        writer.payload(of: object, extra: EnvelopeExtra(envelope: nil))
    }

    /// One line for people, without control characters and secrets, at most 200 characters.
    package static func line(_ text: String) -> String {
        var line = SummaryLine()
        _ = line.append(text.utf8.span, firstLineOnly: true)
        return line.finished()
    }

    /// A path with its secrets masked.
    package static func path(_ text: String) -> String { SecretMasker.masked(text) }

    /// A name with its secrets masked. A text of more than 200 bytes is not a name and gives `nil`.
    package static func word(_ text: String) -> String? {
        guard !text.isEmpty, text.utf8.count <= 200 else { return nil }
        return SecretMasker.masked(text)
    }
}
