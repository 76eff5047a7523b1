/// How a client reaches the push services of browsers. All of `PushSettings` can be set here as well.
@dynamicMemberLookup
public struct WebPushConfiguration: Sendable {
    public var rules = WebPushRules()
    public var settings: PushSettings

    public init() {
        settings = PushSettings()
        settings.maxConnections = 2
        // Apple asks for at most 100 that are not answered.
        settings.maxStreams = 100
        settings.spareIdle = 60
        settings.lastIdle = 300
        settings.endsAtUnusable = true
    }

    public subscript<Value>(dynamicMember member: WritableKeyPath<PushSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }
}
