internal import Access
internal import EventModel
internal import HTTPModel
internal import Listener
internal import WSFanout

/// The channels of devices and API keys, and when each must end.
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
            context.noteUse(of: principal)
            if principal.isRevocable { revocableChannels[channel] = principal }
            return principal
        } catch {
            close(channel, .unauthorized, on: loop)
            return nil
        }
    }

    /// The sender on a channel with its current capabilities, or nil if it is no longer allowed to send.
    func principal(of channel: ChannelID, openedBy opener: Principal) -> Principal? {
        guard revocableChannels[channel] != nil else { return opener }
        return current(opener, on: channel)
    }

    private func current(_ opener: Principal, on channel: ChannelID) -> Principal? {
        guard let current = context.authenticator.current(opener), let conversation = channels[channel],
            current.may(conversation.capability)
        else { return nil }
        return current
    }

    func device(of channel: ChannelID) -> DeviceID? { revocableChannels[channel]?.device }

    /// Closes the channels of those who were revoked or lost the capability, and channels whose credential has expired.
    func sweepChannels(now: Timestamp, on loop: isolated NetworkLoop) {
        for (channel, opener) in revocableChannels {
            if let end = opener.refusedFrom, end <= now {
                close(channel, .tokenExpired, on: loop)
            } else if current(opener, on: channel) == nil {
                close(channel, .unauthorized, on: loop)
            }
        }
    }

    func close(_ channel: ChannelID, _ code: CloseCode, on loop: isolated NetworkLoop) {
        loop.close(channel, code: code.number, reason: code.reason)
    }
}

extension Principal {
    /// Whether the credential can be revoked while a channel is open, or expires.
    fileprivate var isRevocable: Bool {
        switch holder {
        case .device, .apiKey: true
        case .machine, .admin: false
        }
    }

    /// The time from which the credential is refused.
    fileprivate var refusedFrom: Timestamp? {
        switch holder {
        case .device(let claims, _): claims.refusedFrom
        case .apiKey(let key): key.expiresAt
        case .machine, .admin: nil
        }
    }
}
