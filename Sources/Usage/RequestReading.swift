internal import EventModel
internal import Persistence

/// A row of `usage_requests`: what one source on one machine reports about one request.
///
/// Merging is commutative, associative and idempotent, so the rows do not depend on the order in which a source
/// reports, nor on how often. The rows of telemetry and of transcripts stay apart; `RequestPairing` finds those of the
/// same request.
struct RequestReading: Equatable {
    static let otel: Int64 = 1
    static let transcript: Int64 = 2

    /// Identifies a row.
    struct ID: Hashable {
        var key: String
        var machine: MachineID
    }

    var id: ID
    var sessionID: String
    var workspaceID: String?
    var usage: RequestUsage
    var cost: Double
    /// The cost is computed without a price of the model.
    var isEstimate: Bool
    /// Whether the price list lacks the model. This does not depend on where the cost comes from.
    var isUnpriced: Bool
    var otelCost: Double?
    var transcriptCost: Double?
    var firstSeq: Int64
    /// The session whose transcript repeats the request of `sessionID`.
    var copiedBy: String?
    /// The key of the request whose model this one advised.
    var advises: String?
    /// The cost of the advice for this request, which has rows of its own.
    var adviceCost: Double?

    var key: String { id.key }
    var machine: MachineID { id.machine }
    var sources: Int64 { usage.source == .otel ? RequestReading.otel : RequestReading.transcript }

    /// The rows of a request: its own, and one for each model that advised it.
    ///
    /// - Parameter origin: the session that made the request, if it is not the event's session.
    static func all(
        _ usage: RequestUsage,
        of event: CommittedEvent,
        from origin: String? = nil,
        prices: PriceList
    ) -> [RequestReading] {
        var own = RequestReading(usage, of: event, from: origin, prices: prices)
        let advice = usage.advice.enumerated().map { number, advice in
            var request = usage
            (request.model, request.tokens) = (advice.model, advice.tokens)
            (request.querySource, request.speed, request.serviceTier) = ("advisor", nil, nil)
            (request.webSearches, request.iterations, request.advice) = (0, [], [])
            var reading = RequestReading(request, of: event, from: origin, prices: prices)
            reading.advises = own.key
            reading.id.key += " +\(number + 1)"
            return reading
        }
        if !advice.isEmpty { own.adviceCost = advice.reduce(0) { $0 + $1.cost } }
        return [own] + advice
    }

    private init(_ usage: RequestUsage, of event: CommittedEvent, from origin: String?, prices: PriceList) {
        let session = origin ?? event.event.sessionID ?? ""
        copiedBy = origin.flatMap { $0 == event.event.sessionID ? nil : event.event.sessionID }
        id = ID(key: RequestReading.key(of: usage, session: session, event: event), machine: event.event.machine)
        sessionID = session
        workspaceID = event.workspaceID
        self.usage = usage
        let listed = RequestCost(usage, by: prices)
        let stated = usage.source == .otel ? usage.costUSD : nil
        cost = stated ?? listed.dollars
        isUnpriced = listed.isUnpriced
        isEstimate = stated == nil && listed.isUnpriced
        otelCost = usage.source == .otel ? cost : nil
        transcriptCost = usage.source == .transcript ? cost : nil
        firstSeq = event.seq
    }

    /// One answer of a transcript, or one record of telemetry. Ids that name several requests do not join them: an
    /// answer has its message id too, and a record its session, number and tokens. What has no request id belongs to
    /// its session, whose id is the client's own, so that each machine that reports it has the same key.
    private static func key(of usage: RequestUsage, session: String, event: CommittedEvent) -> String {
        let own = SessionOwnership.claudeID(session, on: event.event.machine)
        switch usage.source {
        case .otel:
            let number = event.event.facts.report?.numbers.map { "\($0.last)" }
            let record = usage.answer ?? number ?? "\(event.event.id)"
            guard let request = usage.requestID else { return "t:\(own) \(usage.at.microseconds) \(record)" }
            let counts = [usage.tokens.input, usage.tokens.output, usage.tokens.cacheRead, usage.tokens.cacheWrite]
            return "r:\(request) :\(own) \(record) " + counts.map { "\($0)" }.joined(separator: "-")
        case .transcript:
            let answer = [usage.messageID ?? "", usage.answer].compactMap(\.self).joined(separator: " ")
            return usage.requestID.map { "r:\($0) \(answer)" } ?? "m:\(own) \(answer)"
        }
    }

    /// The reading with more output tokens wins, because old clients wrote the first blocks of an answer before they
    /// knew the final count.
    var rank: Int64 {
        let tokens = usage.tokens
        return min(tokens.output, 1 << 28 - 1) << 30 | min(tokens.prompt, 1 << 30 - 1)
    }

    /// Where the answer was made, and how long its prompt is.
    var answered: KnownAnswer {
        KnownAnswer(sessionID: sessionID, agentID: usage.agentID, prompt: usage.tokens.prompt)
    }

    /// The row with a key of its session and agent. The key of advice begins with that of its answer.
    var apart: RequestReading {
        var reading = self
        let session = SessionOwnership.claudeID(sessionID, on: machine)
        let place = [session, usage.agentID].compactMap(\.self).joined(separator: " ")
        guard let parent = advises else {
            reading.id.key += " \(place)"
            return reading
        }
        let answer = "\(parent) \(place)"
        (reading.advises, reading.id.key) = (answer, answer + id.key.dropFirst(parent.count))
        return reading
    }

    /// Whether an answer of another session or agent may have the same key.
    var hasSharedKey: Bool {
        sources == RequestReading.transcript && usage.requestID != nil && usage.answer == nil && advises == nil
    }

    /// Merges what the same source reports about the same request.
    mutating func merge(_ other: RequestReading) {
        let (winner, loser) = other.rank > rank ? (other, self) : (self, other)
        var merged = winner
        merged.workspaceID = winner.workspaceID ?? loser.workspaceID
        merged.usage.model = winner.usage.model ?? loser.usage.model
        merged.usage.querySource = winner.usage.querySource ?? loser.usage.querySource
        merged.usage.turnID = winner.usage.turnID ?? loser.usage.turnID
        merged.usage.agentID = winner.usage.agentID ?? loser.usage.agentID
        merged.firstSeq = min(winner.firstSeq, loser.firstSeq)
        self = merged
    }
}
