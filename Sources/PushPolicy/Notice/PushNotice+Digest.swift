public import EventModel

extension PushNotice {
    /// One notice for what a device was not sent by itself.
    ///
    /// Its key follows from the newest of them, so that one made twice is one.
    /// - Parameter held: not empty; otherwise there is nothing to tell.
    public static func digest(of held: [PushNotice], device: DeviceID, at now: Timestamp) -> PushNotice? {
        guard let newest = held.map(\.seq).max() else { return nil }
        let sessions = Set(held.compactMap(\.place.sessionID))
        return PushNotice(
            key: "g:\(device.rawValue):\(newest)",
            kind: .digest,
            place: NoticePlace(),
            seq: newest,
            raisedAt: now,
            notBefore: now,
            expiresAt: now.adding(seconds: NoticeKind.digest.lifetimeSeconds),
            collapseID: "g",
            details: NoticeDetails(count: held.count, sessions: sessions.count)
        )
    }
}
