internal import EventModel

/// A row of `usage_requests`: the data that one or more sources report about one request.
///
/// Merging is commutative, associative and idempotent, so the rows do not depend on the order in which sources report,
/// nor on how often.
struct RequestReading: Equatable {
    static let otel: Int64 = 1
    static let transcript: Int64 = 2

    var key: String
    var sessionID: String
    var machine: MachineID
    var workspaceID: String?
    var usage: RequestUsage
    var cost: Double
    var isEstimate: Bool
    /// Sum of `otel` and `transcript`.
    var sources: Int64
    var otelCost: Double?
    var transcriptCost: Double?
    var firstSeq: Int64
    /// The session whose transcript repeats the request of `sessionID`.
    var copiedBy: String?

    /// - Parameter origin: the session that made the request, if it is not the event's session.
    init(_ usage: RequestUsage, of event: CommittedEvent, from origin: String? = nil, prices: PriceList) {
        let session = origin ?? event.event.sessionID ?? ""
        copiedBy = origin.flatMap { $0 == event.event.sessionID ? nil : event.event.sessionID }
        key = RequestReading.key(of: usage, session: session, event: event.event.id)
        sessionID = session
        machine = event.event.machine
        workspaceID = event.workspaceID
        self.usage = usage
        let listed = prices.cost(of: usage)
        let stated = usage.source == .otel ? usage.costUSD : nil
        cost = stated ?? listed.dollars
        isEstimate = stated == nil && listed.isEstimate
        sources = usage.source == .otel ? RequestReading.otel : RequestReading.transcript
        otelCost = usage.source == .otel ? cost : nil
        transcriptCost = usage.source == .transcript ? cost : nil
        firstSeq = event.seq
    }

    /// The request id alone is enough: telemetry does not name messages, and a request has one answer.
    private static func key(of usage: RequestUsage, session: String, event: EventID) -> String {
        if let request = usage.requestID { return "r:\(request)" }
        if let message = usage.messageID { return "m:\(session) \(message)" }
        return "e:\(event)"
    }

    /// Telemetry takes precedence over transcripts. Within one source, the reading with more output tokens wins,
    /// because old clients wrote the first blocks of an answer before they knew the final count.
    var rank: Int64 {
        let tokens = usage.tokens
        let known: Int64 = usage.source == .otel ? 1 << 60 : 0
        return known | min(tokens.output, 1 << 28 - 1) << 30 | min(tokens.prompt, 1 << 30 - 1)
    }

    /// Merges the data that another source, or the same one, reports about the same request.
    mutating func merge(_ other: RequestReading) {
        let (winner, loser) = other.rank > rank ? (other, self) : (self, other)
        var merged = winner
        merged.workspaceID = winner.workspaceID ?? loser.workspaceID
        merged.usage.messageID = winner.usage.messageID ?? loser.usage.messageID
        merged.usage.model = winner.usage.model ?? loser.usage.model
        merged.usage.querySource = winner.usage.querySource ?? loser.usage.querySource
        merged.usage.turnID = winner.usage.turnID ?? loser.usage.turnID
        merged.usage.agentID = winner.usage.agentID ?? loser.usage.agentID
        merged.sources = winner.sources | loser.sources
        merged.otelCost = RequestReading.higher(winner.otelCost, loser.otelCost)
        merged.transcriptCost = RequestReading.higher(winner.transcriptCost, loser.transcriptCost)
        merged.firstSeq = min(winner.firstSeq, loser.firstSeq)
        self = merged
    }

    private static func higher(_ left: Double?, _ right: Double?) -> Double? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }
}
