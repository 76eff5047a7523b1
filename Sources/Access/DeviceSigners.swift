package import Signing

/// The signers that use the server's device key: for access tokens, tickets for sockets, and passes of browsers.
package struct DeviceSigners: Sendable {
    package let tokens: DeviceTokens
    package let tickets: DeviceTickets
    /// Signs the passes in the cookies of browsers.
    package let passes: DeviceTickets
    /// Signs the capabilities in the actions of pushes.
    package let capabilities: PromptCapabilities

    package init(key: ES256PrivateKey) throws(SigningError) {
        tokens = DeviceTokens(key: key)
        tickets = try DeviceTickets(key: key)
        passes = try DeviceTickets(key: key, for: .browser)
        capabilities = try PromptCapabilities(key: key)
    }
}
