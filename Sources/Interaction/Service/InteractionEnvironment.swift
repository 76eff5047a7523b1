package import EventModel
internal import HTTPModel
package import Logging
package import Persistence
package import Sessions

/// The dependencies of `InteractionService`.
package struct InteractionEnvironment: Sendable {
    let database: any StoreAccess
    /// Commits events. Returns whether all of them are in the log afterwards.
    let submit: @Sendable ([MonitorEvent]) async -> Bool
    /// Whether any device may answer prompts of a machine.
    let isAnyoneAllowed: @Sendable (MachineID) -> Bool
    /// The part of a text that the content policy keeps; `nil` if it keeps nothing.
    let kept: @Sendable (String) -> String?
    /// Verifies the capability of a push action. Returns `nil` if it is not valid.
    let redeem: @Sendable (String) -> RedeemedCapability?
    let clock: @Sendable () -> Timestamp
    /// A clock that does not jump with the wall clock.
    let steadyClock: @Sendable () -> Timestamp
    let logger: Logger

    package init(
        database: any StoreAccess,
        submit: @escaping @Sendable ([MonitorEvent]) async -> Bool,
        isAnyoneAllowed: @escaping @Sendable (MachineID) -> Bool,
        kept: @escaping @Sendable (String) -> String?,
        redeem: @escaping @Sendable (String) -> RedeemedCapability?,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        (self.database, self.submit, self.isAnyoneAllowed) = (database, submit, isAnyoneAllowed)
        (self.kept, self.redeem) = (kept, redeem)
        (self.clock, self.steadyClock, self.logger) = (clock, steadyClock, logger)
    }
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

/// The device or administrator that answers.
package struct Responder: Sendable {
    package let principal: Principal

    package init(_ principal: Principal) {
        self.principal = principal
    }

    /// Its number and its name; `nil` for the operator.
    var device: (id: String, name: String)? {
        guard case .device(let claims, let rights) = principal.holder else { return nil }
        return (String(claims.device.rawValue), rights.name)
    }

    /// Throws 403 unless the responder may answer prompts of the machine.
    func require(on machine: MachineID) throws(APIError) {
        guard principal.may(.respond, on: machine) else {
            throw .insufficientScope(principal.lacking(.respond, on: machine))
        }
    }
}
