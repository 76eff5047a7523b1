internal import JSON

/// What an agent says of itself, its machine and its sessions. The server keeps it and shows it in lists, so each text
/// is bounded; a longer one counts as missing.
extension JSONValue {
    /// An id, a mode, a model, a version.
    var word: String? { text(atMost: 256) }

    /// A path on the machine, of the length that a hook may report.
    var path: String? { text(atMost: 4096) }

    private func text(atMost limit: Int) -> String? {
        string.flatMap { $0.utf8.count <= limit ? $0 : nil }
    }
}
