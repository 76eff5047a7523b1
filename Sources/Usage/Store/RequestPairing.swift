internal import EventModel
internal import Persistence

/// Finds the rows of telemetry and of transcripts that are of the same request, and the rows of several machines.
///
/// Where a transcript and telemetry report a request, the row of telemetry counts, and that of the transcript does not.
/// Rows with the same request id on one machine are of the same request. If a gateway gives several requests one id, or
/// leaves ids out, then rows with the same tokens are paired, each with one other. A row without a pair counts by
/// itself. The sum over all machines counts a request once, in the row of the first machine that reported it.
///
/// The statements run after the rows of a batch were written. They compute what they write from all rows of the
/// request ids and sessions of the batch, so it does not depend on the order of arrival.
struct RequestPairing {
    /// Of each request id of the batch, together with `requestIDs`.
    private var machines: [MachineID] = []
    private var requestIDs: [String] = []
    private var keys: Set<String> = []
    private var sessions: Set<String> = []
    /// Claude Code's own ids of the sessions.
    private var claudeIDs: Set<String> = []

    init(_ readings: [RequestReading]) {
        var known: Set<RequestReading.ID> = []
        for reading in readings {
            if !reading.sessionID.isEmpty, sessions.insert(reading.sessionID).inserted {
                claudeIDs.insert(SessionOwnership.claudeID(reading.sessionID, on: reading.machine))
            }
            guard let request = reading.usage.requestID else {
                keys.insert(reading.key)
                continue
            }
            guard known.insert(RequestReading.ID(key: request, machine: reading.machine)).inserted else { continue }
            machines.append(reading.machine)
            requestIDs.append(request)
        }
    }

    var statements: [(Statement, Parameters)] {
        typealias SQL = RequestPairingStatements
        guard !sessions.isEmpty || !requestIDs.isEmpty || !keys.isEmpty else { return [] }
        let sessions = sessions.sorted()
        var all: [(Statement, Parameters)] = []
        if !requestIDs.isEmpty { all.append((SQL.pairByID, Parameters(of: machines, requestIDs, sessions))) }
        if !sessions.isEmpty {
            all += [(SQL.pairByTokens, Parameters(of: sessions)), (SQL.settleAdvice, Parameters(of: sessions))]
        }
        if !requestIDs.isEmpty {
            all.append((SQL.firstByID, Parameters(of: Set(requestIDs).sorted(), claudeIDs.sorted())))
        }
        if !keys.isEmpty { all.append((SQL.firstByKey, Parameters(of: keys))) }
        return all
    }
}
