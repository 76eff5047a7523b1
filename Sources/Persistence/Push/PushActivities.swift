public import EventModel

/// A session's newest state for its Live Activities.
public struct NewActivityState: Sendable, Equatable {
    public var sessionID: String
    public var workspaceID: String?
    /// JSON.
    public var state: [UInt8]
    /// The session waits for a person: an activity may begin.
    public var mayBegin: Bool

    public init(sessionID: String, workspaceID: String?, state: [UInt8], mayBegin: Bool) {
        self.sessionID = sessionID
        self.workspaceID = workspaceID
        self.state = state
        self.mayBegin = mayBegin
    }
}

/// One session on one device's lock screen, as this server has claimed it.
public struct ClaimedActivity: Sendable {
    public var device: DeviceID
    public var sessionID: String
    public var workspaceID: String?
    /// JSON; `nil` before the first step.
    public var plan: [UInt8]?
    /// JSON that the plan has not taken.
    public var state: [UInt8]?
    public var tokenArrived: Bool
    public var tokenGone: Bool
    public var version: Int64
    public var startToken: PushTokenRecord?
    public var updateToken: PushTokenRecord?
}

public struct ActivityClaim: Sendable {
    public var activities: [ClaimedActivity] = []
    public var layers: [PushPreferenceLayer] = []
}

/// Live Activities in the outbox: what is stored before a step leaves is not repeated.
extension PostgresStore {
    public func claimActivities(
        by server: String,
        limit: Int,
        leaseSeconds: Double,
        now: Timestamp
    ) async throws(PersistenceError) -> ActivityClaim {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(now)
            parameters.add(Int64(limit))
            parameters.add(leaseSeconds)
            parameters.add(server)
            var claim = ActivityClaim()
            for row in try connection.query(PushActivityStatements.claim, parameters).rows {
                try claim.add(row)
            }
            guard !claim.activities.isEmpty else { return claim }
            claim.layers = try PushPreferenceLayer.read(claim.scopes, on: connection)
            return claim
        }
    }

    /// Whether it was still `server`'s: otherwise nothing is changed, and its steps are not to leave.
    /// - Parameter dueAt: when it is next looked at, unless something came meanwhile.
    public func settleActivity(
        _ activity: ClaimedActivity,
        by server: String,
        plan: [UInt8],
        dueAt: Timestamp?,
        now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters(reserving: plan.count + 128)
            parameters.add(activity.device.rawValue)
            parameters.add(activity.sessionID)
            parameters.add(TextBytes(bytes: plan))
            parameters.add(activity.version)
            parameters.add(dueAt)
            parameters.add(now)
            parameters.add(server)
            return try connection.query(PushActivityStatements.settle, parameters).affectedRows > 0
        }
    }

    /// The push service calls the activity's token gone.
    public func activityTokenGone(
        device: DeviceID,
        sessionID: String,
        now: Timestamp
    ) async throws(PersistenceError) {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(device.rawValue)
            parameters.add(sessionID)
            parameters.add(now)
            _ = try connection.query(PushActivityStatements.tokenGone, parameters)
        }
    }

    public func nextActivityDue() async throws(PersistenceError) -> Timestamp? {
        try await pool.run { connection throws(PersistenceError) in
            try connection.query(PushActivityStatements.nextDue).firstRow?.optionalTimestamp(0)
        }
    }
}

extension ActivityClaim {
    fileprivate mutating func add(_ row: PQRow) throws(PersistenceError) {
        let device = DeviceID(rawValue: try row.int64(0))
        let sessionID = try row.text(1)
        if activities.last?.device != device || activities.last?.sessionID != sessionID {
            activities.append(
                ClaimedActivity(
                    device: device,
                    sessionID: sessionID,
                    workspaceID: row.optionalText(2),
                    plan: row.optionalBytes(3),
                    state: row.optionalBytes(4),
                    tokenArrived: try row.bool(5),
                    tokenGone: try row.bool(6),
                    version: try row.int64(7)
                )
            )
        }
        guard try row.bool(8) else { return }
        let token = try PushTokenRecord(row, from: 9)
        if token.content.kind == .activityStart {
            activities[activities.count - 1].startToken = token
        } else {
            activities[activities.count - 1].updateToken = token
        }
    }

    fileprivate var scopes: [PushScope] {
        let devices = Set(activities.map(\.device.rawValue)).map { PushScope(.device, String($0)) }
        let projects = Set(activities.compactMap(\.workspaceID)).map { PushScope(.project, $0) }
        let sessions = Set(activities.map(\.sessionID)).map { PushScope(.session, $0) }
        return [PushScope(.default)] + devices + projects + sessions
    }
}

extension [NewActivityState] {
    func parameters(now: Timestamp) -> Parameters {
        var parameters = Parameters(reserving: 512 * count + 64)
        parameters.add(array: map(\.sessionID))
        parameters.add(array: map(\.workspaceID))
        parameters.add(array: map { TextBytes(bytes: $0.state) })
        parameters.add(now)
        return parameters
    }
}
