internal import EventModel
internal import JSON

/// The last provider token, stored for the next start and for other processes with the same key.
struct ProviderTokenFile: Sendable {
    private let file: SecretFile

    init(path: String) {
        file = SecretFile(path: path)
    }

    /// Returns `nil` if no readable token for this key is stored.
    func read(keyID: String, teamID: String) -> ProviderToken? {
        guard case .bytes(let bytes) = file.read(), let stored = try? JSONValue.parse(bytes, maxDepth: 4),
            stored["key_id"]?.string == keyID, stored["team_id"]?.string == teamID,
            let text = stored["token"]?.string, let mintedAt = stored["minted_at_us"]?.integer
        else { return nil }
        return ProviderToken(text: text, mintedAt: Timestamp(microseconds: mintedAt))
    }

    /// Replaces the file atomically. Returns an errno, or 0 for success.
    func write(_ token: ProviderToken, keyID: String, teamID: String) -> Int32 {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("key_id", keyID)
        writer.field("team_id", teamID)
        writer.field("minted_at_us", token.mintedAt.microseconds)
        writer.field("token", token.text)
        writer.endObject()
        return file.replace(writer.bytes)
    }
}
