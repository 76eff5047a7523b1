internal import EventModel
internal import Host

extension SettingsReader {
    private static let zones = "/usr/share/zoneinfo"
    /// Bytes. The files of zones are much smaller.
    private static let longestZone = 1 << 20

    /// Checks the name against the time zones of this machine, if it has any. Those of the database are not known yet.
    mutating func timeZone() -> TimeZoneName {
        guard let text = text(.timezone) else { return .utc }
        guard let zone = TimeZoneName(text), zone == .utc || Self.isInstalled(zone) else {
            fault(.timezone, "must be the IANA name of a time zone, such as Europe/Berlin")
            return .utc
        }
        return zone
    }

    /// Whether the zone has a file in the format of RFC 9636. The directory contains other files, and directories.
    private static func isInstalled(_ zone: TimeZoneName) -> Bool {
        guard InstalledFiles.canRead(zones) else { return true }
        let file = InstalledFiles.contents("\(zones)/\(zone.text)", atMost: longestZone)
        return file?.starts(with: "TZif".utf8) ?? false
    }
}
