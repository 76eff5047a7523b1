internal import EventModel
internal import Notifications
internal import WSFanout

extension LoopHandler {
    /// The hub's clock does not jump, so that an interaction stays as long ago as it was.
    func viewers(now: Timestamp) -> [Viewer] {
        hub.viewers.map { channel, sessionID, idleSeconds in
            Viewer(
                device: deviceChannels[channel]?.device,
                sessionID: sessionID,
                lastInteractionAt: now.adding(seconds: -idleSeconds)
            )
        }
    }
}
