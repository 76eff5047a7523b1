internal import API
package import EventModel
package import HTTPModel
internal import JSON

/// An API key as it is asked for.
package struct NewAPIKey: Sendable, Equatable {
    package var name: String
    package var capabilities: [Capability]
    /// Names or numbers; `nil` means all machines.
    package var machines: [String]?
    package var models: [String]?
    /// US dollars.
    package var dailyBudget: Double?
    package var requestsPerMinute: Int64?
    package var expiresAt: Timestamp?
    /// The names of MCP servers; `nil` means all.
    package var toolkits: [String]?
    package var shares: [String]

    static let mostDollars = 1_000_000.0
    static let rates: ClosedRange<Int64> = 1...100_000

    package init(_ body: [UInt8], now: Timestamp) throws(APIError) {
        let (json, object) = (try JSONValue(object: body), try RequestObject(body))
        name = try KeyRoutes.name(json)
        capabilities = try NewAPIKey.capabilities(try object.optionalNames("capabilities") ?? [])
        machines = try object.optionalNames("machines")
        models = try object.optionalNames("models")
        dailyBudget = try NewAPIKey.budget(json["daily_budget"])
        requestsPerMinute = try NewAPIKey.rate(json["requests_per_minute"])
        expiresAt = try NewAPIKey.end(json["expires_at"], now: now)
        toolkits = try object.optionalNames("toolkits")
        shares = try object.optionalNames("shares") ?? []
        try check()
    }

    private static func capabilities(_ words: [String]) throws(APIError) -> [Capability] {
        let known = words.compactMap { Capability(rawValue: $0) }.filter { Capability.ofAPIKeys.contains($0) }
        guard !known.isEmpty, known.count == words.count else {
            let names = Capability.ofAPIKeys.map(\.rawValue).joined(separator: ", ")
            throw .invalid(
                "invalid_parameter",
                "'capabilities' must be one or more of \(names). No API key has another.",
                param: "capabilities"
            )
        }
        return Capability.allCases.filter { known.contains($0) }
    }

    private static func budget(_ value: JSONValue?) throws(APIError) -> Double? {
        guard let value, value != .null else { return nil }
        guard let dollars = value.double, dollars > 0, dollars <= mostDollars else {
            throw .invalid(
                "invalid_parameter",
                "'daily_budget' must be US dollars, above 0 and at most \(Int(mostDollars)).",
                param: "daily_budget"
            )
        }
        return dollars
    }

    private static func rate(_ value: JSONValue?) throws(APIError) -> Int64? {
        guard let value, value != .null else { return nil }
        guard let rate = value.integer, rates.contains(rate) else {
            throw .invalid(
                "invalid_parameter",
                "'requests_per_minute' must be a whole number of 1 to \(rates.upperBound).",
                param: "requests_per_minute"
            )
        }
        return rate
    }

    /// A date means the beginning of that day in UTC.
    private static func end(_ value: JSONValue?, now: Timestamp) throws(APIError) -> Timestamp? {
        guard let value, value != .null else { return nil }
        let text = value.string ?? ""
        guard let end = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "T00:00:00Z"), end > now else {
            throw .invalid(
                "invalid_parameter",
                "'expires_at' must be a date or an RFC 3339 time, and in the future.",
                param: "expires_at"
            )
        }
        return end
    }

    private static func isServer(_ name: String) -> Bool {
        name.utf8.count <= 128 && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Refuses a limit that would limit nothing, because its author relies on it.
    private func check() throws(APIError) {
        if machines != nil, !capabilities.contains(where: \.isPerMachine) {
            throw .invalid("invalid_parameter", "'read' is not per machine.", param: "machines")
        }
        for (param, isSet) in [("models", models != nil), ("daily_budget", dailyBudget != nil)]
        where isSet && !capabilities.contains(.chat) {
            throw .invalid("invalid_parameter", "'\(param)' is of 'chat'.", param: param)
        }
        for (param, names) in [("toolkits", toolkits ?? []), ("shares", shares)] where !names.isEmpty {
            guard capabilities.contains(.tools) else {
                throw .invalid("invalid_parameter", "'\(param)' is of 'tools'.", param: param)
            }
            guard names.allSatisfy(NewAPIKey.isServer) else {
                throw .invalid("invalid_parameter", "'\(param)' must be names of MCP servers.", param: param)
            }
        }
        if let models, models.contains(where: { $0.contains(where: \.isWhitespace) }) {
            throw .invalid("invalid_parameter", "A model's name has no spaces.", param: "models")
        }
    }
}
