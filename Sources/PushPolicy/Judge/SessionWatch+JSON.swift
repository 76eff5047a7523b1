internal import EventModel
internal import JSON

extension SessionWatch {
    /// As compact JSON.
    public func stored() -> [UInt8] { [] }

    /// `nil` if `stored` is not what `stored()` writes.
    public init?(sessionID: String, stored: [UInt8]) {
        self.init(sessionID: sessionID)
    }
}
