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
    }

    package var from: Timestamp?
    package var to: Timestamp?
    package var sessionID: String?
    package var machine: MachineID?
    package var workspaceID: String?
    /// `nil` asks for the total only.
    package var by: Dimension?

    package init() {}
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
    /// The price list does not know a model of the group.
    package var hasEstimate = false
    /// Requests that telemetry and requests that transcripts name.
    package var byTelemetry: Int64 = 0
    package var byTranscript: Int64 = 0
    /// The cost of the requests that both tell, by each.
    package var costByTelemetry = 0.0
    package var costByTranscript = 0.0
    /// A session of the group lacks records of its telemetry, or its process went without a word.
    package var isIncomplete = false
    /// Calls of a tool, and those that failed; `nil` for other groups.
    package var calls: Int64?
    package var failures: Int64?

    package init() {}

    package var source: SessionUsage.Source {
        if byTelemetry > 0 { return byTranscript > 0 ? .both : .otel }
        return byTranscript > 0 ? .transcript : .none
    }

    /// Transcripts do not tell the client's own errands, so a group with requests that they alone tell may lack some.
    package var confidence: SessionUsage.Confidence {
        if requests == 0 { return .none }
        if hasEstimate { return .estimated }
        return byTelemetry < requests || isIncomplete ? .lowerBound : .exact
    }

    /// How far telemetry and transcripts disagree about the requests that both tell; `nil` up to a hundredth.
    package var difference: Double? { CostDifference.shown(costByTelemetry, costByTranscript) }
}

/// The total of a query and its groups, most expensive first; times are in their order.
package struct UsageSums: Sendable {
    package var total: UsageSum
    package var groups: [UsageSum]

    package init(total: UsageSum, groups: [UsageSum] = []) {
        self.total = total
        self.groups = groups
    }
}

/// One request, as it is shown.
package struct RequestRecord: Sendable {
    package var key: String
    package var usage: RequestUsage
    package var cost: Double
    package var isEstimate: Bool
    /// Bits of `RequestReading`.
    var sources: Int64
    package var costByTelemetry: Double?
    /// Computed from the transcript's tokens and the price list.
    package var costByTranscript: Double?

    /// How far the two disagree; `nil` up to a hundredth.
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
        byTelemetry += other.byTelemetry
        byTranscript += other.byTranscript
        costByTelemetry += other.costByTelemetry
        costByTranscript += other.costByTranscript
        isIncomplete = isIncomplete || other.isIncomplete
    }
}
