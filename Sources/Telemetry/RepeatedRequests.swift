internal import EventModel

/// The requests of one export that have the same id, number and tokens: a gateway may give all requests one id, and
/// not every sender numbers its records. Records of different times in one export are different requests; a record
/// that comes again in another export is the same one.
struct RepeatedRequests {
    private struct Request: Hashable {
        var session: String?
        var request: String?
        var number: String?
        var tokens: [Int64]
    }

    private var times: [Request: [Timestamp]] = [:]

    /// Gives the second one and later ones of the same request a number of their own.
    mutating func mark(_ event: inout MonitorEvent?) {
        guard let usage = event?.facts.report?.requests.first, usage.requestID != nil else { return }
        let tokens = usage.tokens
        let request = Request(
            session: event?.sessionID,
            request: usage.requestID,
            number: usage.answer,
            tokens: [tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite]
        )
        var known = times[request] ?? []
        let place = known.firstIndex(of: usage.at) ?? known.count
        if place == known.count { known.append(usage.at) }
        times[request] = known
        guard place > 0 else { return }
        event?.facts.report?.requests[0].answer = "\(usage.answer ?? "")+\(place)"
    }
}
