/// How a client reaches one environment of Apple's. All of `PushSettings` can be set here as well.
@dynamicMemberLookup
public struct APNsConfiguration: Sendable {
    public static let productionHost = "api.push.apple.com"
    public static let developmentHost = "api.sandbox.push.apple.com"

    public var host = APNsConfiguration.productionHost
    /// 443, or 2197 where a firewall wants to tell pushes apart.
    public var port: UInt16 = 443
    public var settings = PushSettings()

    public init() {}

    public subscript<Value>(dynamicMember member: WritableKeyPath<PushSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }
}
