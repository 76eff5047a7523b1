/// The configuration of a client for browsers' push services. It includes all of `PushSettings`.
@dynamicMemberLookup
public struct WebPushConfiguration: Sendable {
    public var rules = WebPushRules()
    public var settings: PushSettings

    public init() {
        settings = PushSettings()
        settings.maxConnections = 2
        // Apple allows at most 100 unanswered pushes.
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
