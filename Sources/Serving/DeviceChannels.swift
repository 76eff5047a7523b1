internal import Access
package import EventModel
internal import HTTPModel
package import Listener
internal import Synchronization
internal import WSFanout

/// The channels of devices, and when each must end.
extension LoopHandler {
    /// The capability that every channel needs.
    static let streamCapability = Capability.read

    /// Records the owner of a new channel. Returns nil if the sender is no longer admitted; the channel is then being
    /// closed.
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

    /// The sender on a channel with its current capabilities, or nil if it is no longer allowed to send.
    func principal(of channel: ChannelID, openedBy opener: Principal) -> Principal? {
        guard let claims = deviceChannels[channel] else { return opener }
        guard let current = context.authenticator.current(claims), current.may(LoopHandler.streamCapability) else {
            return nil
        }
        return current
    }

    /// Closes the channels of devices that were revoked or lost the read capability, and channels whose token has
    /// expired.
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

/// Holds the network loop for parts that are created before it. Safe from any thread.
package final class RunningLoop: Sendable {
    private let loop = Mutex<NetworkLoop?>(nil)

    package init() {}

    package func set(_ loop: NetworkLoop) {
        self.loop.withLock { $0 = loop }
    }

    /// Call when events in memory may have been erased.
    func forgetErased() {
        loop.withLock { $0 }?.post { loop in (loop.handler as? LoopHandler)?.hub.erased() }
    }

    package func sweepDeviceChannels(by clock: @escaping @Sendable () -> Timestamp) {
        loop.withLock { $0 }?.post { loop in
            (loop.handler as? LoopHandler)?.sweepDeviceChannels(now: clock(), on: loop)
        }
    }
}
