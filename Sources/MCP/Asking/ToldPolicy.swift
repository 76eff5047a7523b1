/// What a caller says of its machine's approvals file, as words `key=value`. The server cannot read that file, nor see
/// whether the caller checks answers against it. A program that has the machine's key can send any words. It can also
/// ask as a hook does.
enum ToldPolicy {
    /// Whether the file lets anybody answer; `nil` if the words do not say.
    static func letsAnswer(_ words: String) -> Bool? {
        words.split(separator: " ").last { $0.hasPrefix("who=") }.map { $0 == "who=answer" }
    }

    /// Whether a call with these words needs no grant.
    static func standsForGrant(_ words: String?) -> Bool { words.flatMap(letsAnswer) ?? false }
}
