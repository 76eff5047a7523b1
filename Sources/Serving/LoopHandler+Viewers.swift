internal import EventModel
internal import Notifications
internal import WSFanout

extension LoopHandler {
    /// The hub's clock is monotonic, so the age of an interaction stays correct.
    func viewers(now: Timestamp) -> [Viewer] {
        hub.viewers.map { channel, sessionID, idleSeconds in
            Viewer(
                device: device(of: channel),
                sessionID: sessionID,
                lastInteractionAt: now.adding(seconds: -idleSeconds)
            )
        }
    }
}
