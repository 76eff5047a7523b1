package import EventModel

/// Selects and groups requests.
package struct RequestUsageQuery: Sendable {
    package enum Dimension: String, Sendable, CaseIterable {
        case day
        case hour
        case machine
        case project
        case model
        case tool
        case querySource = "query_source"
        case session
        case apiKey = "api_key"
    }

    package var from: Timestamp?
    package var to: Timestamp?
    package var sessionID: String?
    package var machine: MachineID?
    package var workspaceID: String?
    /// `nil` asks for the total only.
    package var by: Dimension?
    /// The time zone of days and hours.
    package var zone = TimeZoneName.utc
    /// Whether the turns of plain chats, which belong to no session, are requests too.
    package var includesChats = true

    package init() {}

    /// Whether the sum is over machines, so that a request counts once although several machines report it.
    var isOverMachines: Bool { sessionID == nil && machine == nil && workspaceID == nil }
}

/// The sum of a group of requests.
package struct UsageSum: Sendable, Equatable {
    /// A time, an id or a name; empty for requests that have none.
    package var key = ""
    /// The name of the machine or project.
    package var name: String?
    package var requests: Int64 = 0
    package var tokens = RequestTokens()
    package var cost = 0.0
    /// Whether a cost was computed without a price of the model.
    package var hasEstimate = false
    package var unpriced = UnpricedUsage()
    /// The number of requests that telemetry reports, and the number that transcripts report.
    package var byTelemetry: Int64 = 0
    package var byTranscript: Int64 = 0
    /// The number of turns of plain chats, which the machine's agent reports.
    package var byAgent: Int64 = 0
    /// The cost of the requests that both report, according to each of the two.
    package var costByTelemetry = 0.0
    package var costByTranscript = 0.0
    /// Whether a session of the group lacks telemetry records, or its process ended without reporting it.
    package var isIncomplete = false
    /// The number of calls of a tool, and of calls that failed; `nil` for other groups.
    package var calls: Int64?
    package var failures: Int64?

    package init() {}

    package var source: SessionUsage.Source {
        if byTelemetry > 0 { return byTranscript > 0 ? .both : .otel }
        return byTranscript > 0 ? .transcript : byAgent > 0 ? .agent : .none
    }

    /// Transcripts do not contain the client's internal requests, so a group with requests that only transcripts report
    /// may be incomplete.
    package var confidence: SessionUsage.Confidence {
        if requests == 0 { return .none }
        if hasEstimate { return .estimated }
        return byTelemetry + byAgent < requests || isIncomplete ? .lowerBound : .exact
    }

    /// The difference between telemetry and transcripts for the requests that both report; `nil` if it is at most one
    /// hundredth.
    package var difference: Double? { CostDifference.shown(costByTelemetry, costByTranscript) }
}

/// The total of a query and its groups. The most expensive group comes first; times are in chronological order.
package struct UsageSums: Sendable {
    package var total: UsageSum
    package var groups: [UsageSum]

    package init(total: UsageSum, groups: [UsageSum] = []) {
        self.total = total
        self.groups = groups
    }
}

extension UsageSum {
    /// The hour of a sum that is grouped by hour.
    fileprivate var hour: Timestamp { Timestamp(rfc3339: key) ?? .distantPast }
}

extension UsageSums {
    /// Adds the sums of other requests, group by group. Keeps the order of the groups.
    mutating func add(_ other: UsageSums, by: RequestUsageQuery.Dimension?) {
        total.add(other.total)
        guard !other.groups.isEmpty else { return }
        var places = Dictionary(groups.enumerated().map { ($1.key, $0) }) { first, _ in first }
        for group in other.groups {
            if let place = places[group.key] {
                groups[place].add(group)
            } else {
                places[group.key] = groups.count
                groups.append(group)
            }
        }
        switch by {
        case .day: groups.sort { $0.key < $1.key }
        case .hour: groups.sort { $0.hour < $1.hour }
        default: groups.sort { ($1.cost, $0.key) < ($0.cost, $1.key) }
        }
    }
}

/// One request in the form shown to clients.
package struct RequestRecord: Sendable {
    package var key: String
    package var usage: RequestUsage
    package var cost: Double
    package var isEstimate: Bool
    /// Whether the price list lacks the model. This does not depend on where the cost comes from.
    package var isUnpriced: Bool
    /// Bits of `RequestReading`.
    var sources: Int64
    package var costByTelemetry: Double?
    /// Computed from the transcript's tokens and the price list.
    package var costByTranscript: Double?

    /// The difference between the two costs; `nil` if it is at most one hundredth.
    package var difference: Double? {
        guard let costByTelemetry, let costByTranscript else { return nil }
        return CostDifference.shown(costByTelemetry, costByTranscript)
    }

    package var source: SessionUsage.Source {
        sources == RequestReading.otel | RequestReading.transcript
            ? .both : sources == RequestReading.otel ? .otel : .transcript
    }
}

/// A page of a session's requests, in the order of time.
package struct RequestPage: Sendable {
    package var requests: [RequestRecord]
    package var hasMore: Bool

    package init(requests: [RequestRecord], hasMore: Bool) {
        self.requests = requests
        self.hasMore = hasMore
    }
}

extension UsageSum {
    /// Keeps the key and the name.
    mutating func add(_ other: UsageSum) {
        requests += other.requests
        tokens = tokens + other.tokens
        cost += other.cost
        hasEstimate = hasEstimate || other.hasEstimate
        unpriced.add(other.unpriced)
        byTelemetry += other.byTelemetry
        byTranscript += other.byTranscript
        byAgent += other.byAgent
        costByTelemetry += other.costByTelemetry
        costByTranscript += other.costByTranscript
        isIncomplete = isIncomplete || other.isIncomplete
    }
}
