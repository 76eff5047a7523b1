internal import Audit
package import EventModel
package import HTTPModel
package import Logging
package import Persistence
package import Sessions

/// The dependencies of `PromptService`.
package struct PromptEnvironment: Sendable {
    let database: any StoreAccess
    /// Commits events, or spools them. Returns whether all of them are in the log afterwards.
    let submit: @Sendable ([MonitorEvent]) async -> Bool
    /// Commits events, and never spools them. Returns 503 if they are not known to be in the log.
    let commit: @Sendable ([MonitorEvent]) async -> APIError?
    /// The part of a text that the content policy keeps, or `nil` if it keeps none.
    let kept: @Sendable (String) -> String?
    /// Whether any device may answer prompts of a machine.
    let isAnyoneAllowed: @Sendable (MachineID) -> Bool
    /// Who asked for these calls of tools. Those that the model makes are left out.
    let callers: @Sendable (_ toolUseIDs: [String]) async throws(APIError) -> [String: PromptCaller]
    /// Verifies the capability of a push action. Returns `nil` if it is not valid.
    let redeem: @Sendable (String) -> RedeemedCapability?
    let clock: @Sendable () -> Timestamp
    /// A clock that does not jump with the wall clock.
    let steadyClock: @Sendable () -> Timestamp
    let logger: Logger

    package init(
        database: any StoreAccess,
        submit: @escaping @Sendable ([MonitorEvent]) async -> Bool,
        commit: @escaping @Sendable ([MonitorEvent]) async -> APIError?,
        kept: @escaping @Sendable (String) -> String?,
        isAnyoneAllowed: @escaping @Sendable (MachineID) -> Bool,
        callers: @escaping @Sendable (_ toolUseIDs: [String]) async throws(APIError) -> [String: PromptCaller],
        redeem: @escaping @Sendable (String) -> RedeemedCapability?,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        (self.database, self.submit, self.commit) = (database, submit, commit)
        (self.kept, self.isAnyoneAllowed, self.callers, self.redeem) = (kept, isAnyoneAllowed, callers, redeem)
        (self.clock, self.steadyClock, self.logger) = (clock, steadyClock, logger)
    }

    var trail: AnswerTrail { AnswerTrail(database, logger: logger) }

    /// The time before which a hold's last request must have been for the hold to count as lost.
    var aliveSince: Timestamp { clock().adding(seconds: -WaitingHooks.aliveSeconds) }
}

/// The right to answer one prompt with one decision, which a push gave to a device.
package struct RedeemedCapability: Sendable {
    package var promptID: String
    package var decision: Prompt.Decision
    /// The same for each use.
    package var answerID: String
    /// The device, with its present capabilities.
    package var principal: Principal

    package init(promptID: String, decision: Prompt.Decision, answerID: String, principal: Principal) {
        (self.promptID, self.decision) = (promptID, decision)
        (self.answerID, self.principal) = (answerID, principal)
    }
}
