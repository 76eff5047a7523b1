public import Signing

/// What is signed with the server's key for devices: access tokens, tickets for sockets, and passes of browsers.
public struct DeviceSigners: Sendable {
    public let tokens: DeviceTokens
    public let tickets: DeviceTickets
    /// In the cookies of browsers.
    public let passes: DeviceTickets
    /// In the actions of pushes.
    public let capabilities: PromptCapabilities

    public init(key: ES256PrivateKey) throws(SigningError) {
        tokens = DeviceTokens(key: key)
        tickets = try DeviceTickets(key: key)
        passes = try DeviceTickets(key: key, for: .browser)
        capabilities = try PromptCapabilities(key: key)
    }
}
