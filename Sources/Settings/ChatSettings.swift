internal import EventModel

extension SettingsReader {
    /// The machines that answer chats, whether temperatures reach the model, and the names for models.
    mutating func chats() -> (machines: [String], passesSampling: Bool, aliases: ModelAliases) {
        (
            list(.chatMachine) ?? [],
            choice(.chatSampling, ["ignore": false, "pass": true], default: false),
            modelAliases()
        )
    }

    private mutating func modelAliases() -> ModelAliases {
        do throws(ModelAliases.Fault) {
            return try ModelAliases(list(.modelAliases) ?? [])
        } catch {
            fault(.modelAliases, "\(error)")
            return .none
        }
    }
}
