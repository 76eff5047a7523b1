internal import EventModel
internal import Host

extension SettingsReader {
    private static let zones = "/usr/share/zoneinfo"

    /// Checks the name against the time zones of this machine, if it has any: those of the database are not known yet.
    mutating func timeZone() -> TimeZoneName {
        guard let text = text(.timezone) else { return .utc }
        let isKnown = !InstalledFiles.canRead(Self.zones) || InstalledFiles.canRead("\(Self.zones)/\(text)")
        guard let zone = TimeZoneName(text), isKnown else {
            fault(.timezone, "must be the IANA name of a time zone, such as Europe/Berlin")
            return .utc
        }
        return zone
    }
}
