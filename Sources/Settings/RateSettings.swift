internal import EventModel

extension SettingsReader {
    /// The limits of machine keys and of clients. If only the limit of machine keys is set, it also applies to clients.
    mutating func rateLimits() -> (machines: RateLimit?, clients: RateLimit?) {
        let machines = rateLimit(.rateLimit)
        let clients = rateLimit(.clientRateLimit) ?? machines
        return (
            (machines ?? .some(RateLimit(requestsPerSecond: 200, burst: 1000))),
            (clients ?? .some(RateLimit(requestsPerSecond: 50, burst: 500)))
        )
    }

    /// Returns `nil` if the setting is not set, and a limit of `nil` if it is off.
    private mutating func rateLimit(_ setting: Setting) -> RateLimit?? {
        guard let text = text(setting) else { return nil }
        if text == "off" { return .some(nil) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let rate = Double(parts[0]), (0.001...1_000_000).contains(rate) else {
            fault(setting, "must be RATE or RATE:BURST, requests per second, or off")
            return nil
        }
        guard parts.count == 2 else {
            return .some(RateLimit(requestsPerSecond: rate, burst: max(1, Int((rate * 5).rounded(.up)))))
        }
        guard let burst = Int(parts[1]), (1...10_000_000).contains(burst) else {
            fault(setting, "the burst must be a whole number of at least 1")
            return nil
        }
        return .some(RateLimit(requestsPerSecond: rate, burst: burst))
    }
}
