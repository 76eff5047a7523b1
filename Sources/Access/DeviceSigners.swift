package import Signing

/// The signers that use the server's device key: for access tokens and tickets for sockets.
package struct DeviceSigners: Sendable {
    package let tokens: DeviceTokens
    package let tickets: DeviceTickets
    /// Signs the capabilities in the actions of pushes.
    package let capabilities: PromptCapabilities
    /// Seals what a program that waits for an answer gives back when it returns.
    package let waits: WaitSeal

    package init(key: ES256PrivateKey) throws(SigningError) {
        tokens = DeviceTokens(key: key)
        tickets = try DeviceTickets(key: key)
        capabilities = try PromptCapabilities(key: key)
        waits = try WaitSeal(key: key)
    }
}
