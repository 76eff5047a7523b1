internal import EventModel
internal import Persistence

/// One session's activity on one device's lock screen, claimed by this server.
struct ClaimedActivity: Sendable {
    var device: DeviceID
    var sessionID: String
    var workspaceID: String?
    /// JSON; `nil` before the first step.
    var plan: [UInt8]?
    /// The state that the plan has not processed.
    var state: ActivityState?
    var tokenArrived: Bool
    var tokenGone: Bool
    var version: Int64
    var startToken: PushTokenRecord?
    var updateToken: PushTokenRecord?
}

struct ActivityClaim: Sendable {
    var activities: [ClaimedActivity] = []
    var layers: [PushPreferenceLayer] = []
}

/// Live Activities in the outbox. State that is stored before a step is sent prevents its repetition.
extension PostgresStore {
    func claimActivities(
        by server: String,
        limit: Int,
        leaseSeconds: Double,
        now: Timestamp
    ) async throws(PersistenceError) -> ActivityClaim {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now, Int64(limit), leaseSeconds, server)
            var claim = ActivityClaim()
            for row in try connection.query(LiveActivityStatements.claim, parameters).rows { try claim.add(row) }
            guard !claim.activities.isEmpty else { return claim }
            let scopes = PushScope.all(
                of: claim.activities.map(\.device),
                claim.activities.map(\.workspaceID),
                claim.activities.map(\.sessionID)
            )
            claim.layers = try PushPreferenceLayer.read(scopes, on: connection)
            return claim
        }
    }

    /// Returns whether `server` still held the claim. Otherwise nothing is changed, and the steps must not be sent.
    /// - Parameter dueAt: when it is next processed, unless new input has arrived.
    func settleActivity(
        _ activity: ClaimedActivity,
        by server: String,
        plan: [UInt8],
        dueAt: Timestamp?,
        now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: activity.device,
                activity.sessionID,
                TextBytes(bytes: plan),
                activity.version,
                dueAt,
                now,
                server
            )
            return try connection.query(LiveActivityStatements.settle, parameters).affectedRows > 0
        }
    }

    /// The push service has reported the activity's token as gone.
    func activityTokenGone(device: DeviceID, sessionID: String, now: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: device, sessionID, now)
            _ = try connection.query(LiveActivityStatements.tokenGone, parameters)
        }
    }

    func nextActivityDue() async throws(PersistenceError) -> Timestamp? {
        try await run { connection throws(PersistenceError) in
            try connection.query(LiveActivityStatements.nextDue).firstValue()
        }
    }
}

extension ActivityClaim {
    fileprivate mutating func add(_ row: PQRow) throws(PersistenceError) {
        let (device, sessionID): (DeviceID, String) = try row.values()
        if activities.last?.device != device || activities.last?.sessionID != sessionID {
            let (workspaceID, plan, state): (String?, [UInt8]?, [UInt8]?) = try row.values(from: 2)
            let (tokenArrived, tokenGone, version): (Bool, Bool, Int64) = try row.values(from: 5)
            activities.append(
                ClaimedActivity(
                    device: device,
                    sessionID: sessionID,
                    workspaceID: workspaceID,
                    plan: plan,
                    state: state.flatMap { ActivityState(stored: $0) },
                    tokenArrived: tokenArrived,
                    tokenGone: tokenGone,
                    version: version
                )
            )
        }
        guard let token: PushTokenRecord = try row.value(8) else { return }
        if token.content.kind == .activityStart {
            activities[activities.count - 1].startToken = token
        } else {
            activities[activities.count - 1].updateToken = token
        }
    }
}
