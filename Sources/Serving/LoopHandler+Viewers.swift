internal import EventModel
internal import Notifications
internal import WSFanout

extension LoopHandler {
    /// The hub's clock is monotonic, so the age of an interaction stays correct. No person looks through a program.
    func viewers(now: Timestamp) -> [Viewer] {
        hub.viewers.compactMap { channel, sessionID, idleSeconds in
            guard revocableChannels[channel]?.isProgram != true else { return nil }
            return Viewer(
                device: device(of: channel),
                sessionID: sessionID,
                lastInteractionAt: now.adding(seconds: -idleSeconds)
            )
        }
    }
}
