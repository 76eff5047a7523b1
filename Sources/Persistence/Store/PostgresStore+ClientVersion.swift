package import EventModel

extension PostgresStore {
    /// Stores the version if it is newer than the stored one. Returns the newer of both.
    package func clientVersion(atLeast heard: ClientVersion?) async throws(PersistenceError) -> ClientVersion? {
        try await run { connection throws(PersistenceError) in
            let text: String? = try connection.query(ClientVersionStatements.read).firstValue()
            let stored = text.flatMap { ClientVersion($0) }
            guard let heard, stored.map({ $0 < heard }) ?? true else { return stored }
            _ = try connection.query(ClientVersionStatements.keep, Parameters(of: "\(heard)"))
            return heard
        }
    }
}

private enum ClientVersionStatements {
    static let read = Statement("client_version", "SELECT version FROM client_version")

    /// Another server may have stored a newer version meanwhile.
    static let keep = Statement(
        "keep_client_version",
        [.text],
        """
        INSERT INTO client_version AS c (version) VALUES ($1) ON CONFLICT (is_only) DO UPDATE
        SET version = excluded.version
        WHERE string_to_array(c.version, '.')::int[] < string_to_array(excluded.version, '.')::int[]
        """
    )
}
