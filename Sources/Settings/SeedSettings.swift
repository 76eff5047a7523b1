internal import Listener

extension SettingsReader {
    /// The documents of the first clients name both ports.
    static let seedAddresses = ["127.0.0.1:8766", "127.0.0.1:8000"]

    var wantsSeed: Bool { text(.compat)?.lowercased() == "seed" }

    /// Returns true if the setting is on. Reports an error if another computer can reach the server, because with the
    /// setting a client may send its credential in a URL, and proxies log URLs.
    mutating func isSeedCompatible(_ addresses: [ListenAddress], _ proxies: TrustedProxies) -> Bool {
        let isOn = choice(.compat, ["off": false, "seed": true], default: false)
        guard isOn else { return false }
        for address in addresses where !address.isLoopback {
            fault(.compat, "seed needs loopback addresses; \(Setting.listen.rawValue) has \(address)")
        }
        if !proxies.isEmpty { fault(.compat, "seed and \(Setting.trustedProxies.rawValue) exclude each other") }
        return true
    }
}
