public import Signing

/// The signers that use the server's device key: for access tokens, tickets for sockets, and passes of browsers.
public struct DeviceSigners: Sendable {
    public let tokens: DeviceTokens
    public let tickets: DeviceTickets
    /// Signs the passes in the cookies of browsers.
    public let passes: DeviceTickets
    /// Signs the capabilities in the actions of pushes.
    public let capabilities: PromptCapabilities

    public init(key: ES256PrivateKey) throws(SigningError) {
        tokens = DeviceTokens(key: key)
        tickets = try DeviceTickets(key: key)
        passes = try DeviceTickets(key: key, for: .browser)
        capabilities = try PromptCapabilities(key: key)
    }
}
