internal import EventModel

/// What the judge remembers of one session: small, bounded, and stored between two pages of the log.
public struct SessionWatch: Sendable, Equatable {
    public let sessionID: String

    public init(sessionID: String) {
        self.sessionID = sessionID
    }

    mutating func take(_ hook: HookReading) -> [PushAction] { [] }
}
