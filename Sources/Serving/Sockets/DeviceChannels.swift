internal import Access
internal import EventModel
internal import HTTPModel
internal import Listener
internal import WSFanout

/// The channels of devices, and when each must end.
extension LoopHandler {
    /// Records the owner of a new channel. Returns nil if the sender is no longer admitted; the channel is then being
    /// closed.
    func admitChannel(
        _ channel: ChannelID,
        of request: HTTPRequest,
        for capability: Capability,
        on loop: isolated NetworkLoop
    ) -> Principal? {
        do throws(APIError) {
            let principal = try context.authenticator.authorizeSocket(request, for: capability)
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
        return current(claims, on: channel)
    }

    private func current(_ claims: DeviceClaims, on channel: ChannelID) -> Principal? {
        guard let current = context.authenticator.current(claims), let conversation = channels[channel],
            current.may(conversation.capability)
        else { return nil }
        return current
    }

    func device(of channel: ChannelID) -> DeviceID? { deviceChannels[channel]?.device }

    /// Closes the channels of devices that were revoked or lost the capability, and channels whose token has expired.
    func sweepDeviceChannels(now: Timestamp, on loop: isolated NetworkLoop) {
        for (channel, claims) in deviceChannels {
            if current(claims, on: channel) == nil {
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
