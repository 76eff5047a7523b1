/// The configuration of a client for one of Apple's environments. It includes all of `PushSettings`.
@dynamicMemberLookup
public struct APNsConfiguration: Sendable {
    public static let productionHost = "api.push.apple.com"
    public static let developmentHost = "api.sandbox.push.apple.com"

    public var host = APNsConfiguration.productionHost
    /// 443, or 2197 if a firewall must distinguish pushes from other traffic.
    public var port: UInt16 = 443
    public var settings = PushSettings()

    public init() {}

    public subscript<Value>(dynamicMember member: WritableKeyPath<PushSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }
}
