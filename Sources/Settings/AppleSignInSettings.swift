package import Access
package import Devices
internal import HTTPClient
internal import Host

/// The settings of Sign in with Apple, if it is enabled.
package struct AppleSignInSettings {
    package var audiences: Set<String>
    package var allowlist: AppleAllowlist
    package var keys: AppleKeySource
    package var caFile: String?

    package static let appleKeys = "https://appleid.apple.com/auth/keys"
}

extension SettingsReader {
    /// Returns `nil` if no app is configured. Then any other Apple setting is an error.
    mutating func appleSignIn() -> AppleSignInSettings? {
        let audiences = list(.appleAudiences) ?? []
        let allowed = list(.appleAllowed) ?? []
        guard !audiences.isEmpty else {
            for setting in [Setting.appleAllowed, .appleKeys, .appleCAFile] where text(setting) != nil {
                fault(setting, "needs \(Setting.appleAudiences.rawValue)")
            }
            return nil
        }
        for (setting, entries) in [(Setting.appleAudiences, audiences), (.appleAllowed, allowed)] {
            for entry in entries where !entry.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
                fault(setting, "'\(entry)' is not printable ASCII without spaces")
            }
        }
        return AppleSignInSettings(
            audiences: Set(audiences),
            allowlist: AppleAllowlist(allowed),
            keys: appleKeySource(),
            caFile: text(.appleCAFile)
        )
    }

    private mutating func appleKeySource() -> AppleKeySource {
        let place = text(.appleKeys) ?? AppleSignInSettings.appleKeys
        if let location = HTTPLocation(place), location.isSecure { return .https(location) }
        if place.contains("://") {
            fault(.appleKeys, "must be an https address or a file")
        } else if !InstalledFiles.canRead(place) {
            fault(.appleKeys, "'\(place)' does not exist or cannot be read")
        }
        return .file(place)
    }
}
