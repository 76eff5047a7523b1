internal import Host
internal import Usage

extension SettingsReader {
    private static let maximumPriceBytes = 1 << 20

    /// The built-in prices without the setting.
    mutating func prices() -> PriceList {
        guard let path = text(.prices) else { return .standard }
        guard let bytes = InstalledFiles.contents(path, atMost: SettingsReader.maximumPriceBytes) else {
            fault(.prices, "'\(path)' cannot be read, or is larger than 1 MiB")
            return .standard
        }
        do {
            return try PriceList(file: bytes)
        } catch {
            fault(.prices, "'\(path)' \(error)")
            return .standard
        }
    }
}
