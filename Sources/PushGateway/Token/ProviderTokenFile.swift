internal import EventModel
internal import Glibc
internal import JSON

/// The last provider token, kept for the next start and for other processes with the same key. Mode 0600.
struct ProviderTokenFile: Sendable {
    private static let sizeLimit = 4096
    let path: String

    /// `nil` where there is none for this key, or nothing that can be read.
    func read(keyID: String, teamID: String) -> ProviderToken? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: ProviderTokenFile.sizeLimit)
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        guard count > 0, let stored = try? JSONValue.parse(Array(bytes.prefix(count)), maxDepth: 4),
            stored["key_id"]?.string == keyID, stored["team_id"]?.string == teamID,
            let text = stored["token"]?.string, let mintedAt = stored["minted_at_us"]?.integer
        else { return nil }
        return ProviderToken(text: text, mintedAt: Timestamp(microseconds: mintedAt))
    }

    /// Replaces the file in one step. The result is an errno, 0 for success.
    func write(_ token: ProviderToken, keyID: String, teamID: String) -> Int32 {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("key_id", keyID)
        writer.field("team_id", teamID)
        writer.field("minted_at_us", token.mintedAt.microseconds)
        writer.field("token", token.text)
        writer.endObject()
        let draft = path + ".draft"
        unsafe unlink(draft)
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return errno }
        let written = unsafe Glibc.write(file, writer.bytes, writer.bytes.count)
        var fault = written == writer.bytes.count && fsync(file) == 0 ? 0 : (errno == 0 ? ENOSPC : errno)
        close(file)
        if fault == 0, unsafe rename(draft, path) != 0 { fault = errno }
        return fault
    }
}
