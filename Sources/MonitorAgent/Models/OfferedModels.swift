internal import JSON

/// What a client says of the models that it offers, as far as it is passed on.
struct OfferedModels: Sendable, Equatable {
    /// Seconds for which an answer counts. Another login of the same client may offer other models.
    static let seconds = 3600.0
    private static let mostModels = 100
    private static let members = ["value", "resolvedModel", "displayName", "description", "supportedEffortLevels"]

    /// The client that said it.
    let client: InstalledClient
    let models: [JSONValue]
    /// Seconds of the steady clock.
    let at: Double

    /// Returns nil if the client's answer has no list of models.
    init?(_ answer: JSONValue, of client: InstalledClient, at now: Double) {
        guard let listed = answer["models"]?.array else { return nil }
        (self.client, at) = (client, now)
        models = listed.prefix(OfferedModels.mostModels).filter(\.isObject).map { model in
            JSONValue.object(OfferedModels.members.compactMap { name in model[name].map { (name, $0) } })
        }
    }

    /// Whether the answer still counts for the client.
    func counts(for client: InstalledClient, at now: Double) -> Bool {
        self.client == client && now - at < OfferedModels.seconds
    }

    var json: JSONValue {
        .object([("client_version", .string(client.version)), ("models", .array(models))])
    }
}
