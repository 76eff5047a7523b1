internal import Listener

extension SettingsReader {
    /// The documents of the first clients name both ports.
    static let seedAddresses = ["127.0.0.1:8766", "127.0.0.1:8000"]

    var wantsSeed: Bool { text(.compat)?.lowercased() == "seed" }

    /// A credential may then stand in the URL of a socket, which proxies and browsers keep. So nobody else's computer
    /// may be able to reach the server.
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
