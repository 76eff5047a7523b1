internal import EventModel
internal import JSON
internal import OAuth

/// A connected account as Composio's clients read it. It never has a token.
struct ShownAccount: Sendable {
    var account: StoredAccount
    /// The slug.
    var toolkit: String
    var now: Timestamp
    /// The form in the documents of the first Swift client: the toolkit is a text, and the status is in lower case.
    var isSeedCompatible: Bool

    private var status: String { account.status(at: now).status.rawValue }
    private var authConfig: String { AuthConfig.id(of: account.serverID) }

    static let shape = ObjectShape<ShownAccount>("RouterAccount") { it in
        it.member("id") { $0.account.id }
        it.member("user_id") { $0.account.owner.user }
        it.member("status") { $0.isSeedCompatible ? $0.status.lowercased() : $0.status }
        it.memberOrNull("status_reason") { $0.account.status(at: $0.now).reason }
        it.custom("toolkit", JSONSchema.any) { $0.writeToolkit(to: &$1) }
        it.object("auth_config") { it in
            it.member("id") { $0.authConfig }
            it.member("auth_scheme") { $0.account.authScheme }
            it.member("is_composio_managed") { _ in false }
            it.member("is_disabled") { _ in false }
        }
        it.object("state") { it in
            it.member("authScheme") { $0.account.authScheme }
            it.object("val") { it in
                it.member("status") { $0.status }
                it.member("scope") { $0.account.login?.scope }
            }
        }
        it.member("alias") { $0.account.alias }
        it.object("data") { _ in }
        it.object("params") { _ in }
        it.member("is_disabled") { _ in false }
        it.member("created_at") { $0.account.createdAt }
        it.member("updated_at") { $0.account.updatedAt }
        // The names that the first Swift client reads.
        it.member("userId") { $0.account.owner.user }
        it.member("createdAt") { $0.account.createdAt }
        it.member("updatedAt") { $0.account.updatedAt }
    }

    private func writeToolkit(to writer: inout JSONWriter) {
        guard !isSeedCompatible else { return writer.string(toolkit) }
        writer.beginObject()
        writer.field("slug", toolkit)
        writer.endObject()
    }
}
