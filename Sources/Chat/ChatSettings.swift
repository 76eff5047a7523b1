package import EventModel
internal import HTTPModel

/// The server's configuration of chats.
package struct ChatSettings: Sendable {
    /// The machines that answer if the key names none, in order.
    let machines: [String]
    /// Whether answers may be stored, for repeats with an idempotency key.
    let keepsAnswers: Bool
    /// Whether the texts of plain chats are stored.
    let keepsTexts: Bool
    let aliases: ModelAliases
    /// Whether `temperature` and `top_p` of plain chats reach the model.
    let passesSampling: Bool

    package init(
        machines: [String],
        keepsAnswers: Bool,
        keepsTexts: Bool,
        aliases: ModelAliases,
        passesSampling: Bool
    ) {
        (self.machines, self.keepsAnswers, self.keepsTexts) = (machines, keepsAnswers, keepsTexts)
        (self.aliases, self.passesSampling) = (aliases, passesSampling)
    }

    /// The model with which Claude Code is started, after aliases are resolved. A key with a list of models can use
    /// only these. If the request names no model, the first of the list is used.
    func model(_ name: String?, for principal: Principal) throws(APIError) -> String? {
        let asked = name.map(aliases.model)
        guard let listed = principal.apiKey?.models else { return asked }
        let allowed = listed.map(aliases.model)
        guard let name, let asked else { return allowed.first }
        guard allowed.contains(asked) else { throw ChatRefusal.model(name, listed) }
        return asked
    }
}
