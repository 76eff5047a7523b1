package import Access
package import EventModel
package import Notifications
package import Prompts
internal import Sessions

/// The capabilities to answer that pushes carry. They are issued for the device of a push and redeemed with its current
/// rights.
package struct PushAnswers: Sendable {
    let capabilities: PromptCapabilities
    package let authenticator: Authenticator
    let clock: @Sendable () -> Timestamp

    package init(
        capabilities: PromptCapabilities,
        authenticator: Authenticator,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.capabilities, self.authenticator, self.clock) = (capabilities, authenticator, clock)
    }

    /// Returns `nil` for a device that may not answer.
    @Sendable package func issue(_ opening: EventID, _ device: DeviceID, _ expiry: Timestamp) -> PromptActions? {
        guard authenticator.principal(of: device, now: clock())?.may(.respond) ?? false,
            let allow = try? capabilities.issue(prompt: opening, device: device, isAllowed: true, expiresAt: expiry),
            let deny = try? capabilities.issue(prompt: opening, device: device, isAllowed: false, expiresAt: expiry)
        else { return nil }
        return PromptActions(promptID: Prompt.id(opening), allow: allow, deny: deny)
    }

    @Sendable package func redeem(_ text: String) -> RedeemedCapability? {
        let now = clock()
        guard let capability = capabilities.verify(text, now: now),
            let principal = authenticator.principal(of: capability.device, now: now)
        else { return nil }
        return RedeemedCapability(
            promptID: Prompt.id(capability.prompt),
            decision: capability.isAllowed ? .allow : .deny,
            answerID: capability.answerID.description,
            principal: principal
        )
    }
}
