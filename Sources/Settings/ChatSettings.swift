internal import EventModel

extension SettingsReader {
    mutating func modelAliases() -> ModelAliases {
        do throws(ModelAliases.Fault) {
            return try ModelAliases(list(.modelAliases) ?? [])
        } catch {
            fault(.modelAliases, "\(error)")
            return .none
        }
    }
}
