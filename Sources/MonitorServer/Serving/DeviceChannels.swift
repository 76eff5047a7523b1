internal import Access
internal import EventModel
internal import HTTPModel
internal import Listener
internal import Synchronization
internal import WSFanout

/// Which channels belong to devices, and for how long each may go on.
extension LoopHandler {
    /// The capability that every channel needs.
    static let streamCapability = Capability.read

    /// Records the owner of a new channel. nil: the sender may no longer come in, and the channel is being closed.
    func admitChannel(_ channel: ChannelID, of request: HTTPRequest, on loop: isolated NetworkLoop) -> Principal? {
        do throws(APIError) {
            let principal = try context.authenticator.authorizeSocket(request, for: LoopHandler.streamCapability)
            if case .device(let claims, _) = principal.holder { deviceChannels[channel] = claims }
            return principal
        } catch {
            close(channel, .unauthorized, on: loop)
            return nil
        }
    }

    /// The sender on a channel with its present capabilities; nil: it may no longer send.
    func principal(of channel: ChannelID, openedBy opener: Principal) -> Principal? {
        guard let claims = deviceChannels[channel] else { return opener }
        guard let current = context.authenticator.current(claims), current.may(LoopHandler.streamCapability) else {
            return nil
        }
        return current
    }

    /// Closes the channels of devices that were revoked, may no longer read, or whose token has run out.
    func sweepDeviceChannels(now: Timestamp, on loop: isolated NetworkLoop) {
        for (channel, claims) in deviceChannels {
            if context.authenticator.current(claims)?.may(LoopHandler.streamCapability) != true {
                close(channel, .unauthorized, on: loop)
            } else if claims.refusedFrom <= now {
                close(channel, .tokenExpired, on: loop)
            }
        }
    }

    func close(_ channel: ChannelID, _ code: CloseCode, on loop: isolated NetworkLoop) {
        loop.close(channel, code: code.number, reason: code.reason)
    }
}

/// The network loop, for parts that are made before it. Any thread.
final class RunningLoop: Sendable {
    private let loop = Mutex<NetworkLoop?>(nil)

    func set(_ loop: NetworkLoop) {
        self.loop.withLock { $0 = loop }
    }

    func sweepDeviceChannels(by clock: @escaping @Sendable () -> Timestamp) {
        loop.withLock { $0 }?.post { loop in
            (loop.handler as? LoopHandler)?.sweepDeviceChannels(now: clock(), on: loop)
        }
    }
}
