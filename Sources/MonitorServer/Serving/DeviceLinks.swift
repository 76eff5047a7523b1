internal import Access
internal import EventModel
internal import HTTPModel
internal import Listener
internal import Synchronization
internal import WSFanout

/// Which long-lived connections belong to devices, and for how long each may go on.
extension LoopHandler {
    /// What every long-lived connection needs.
    static let streamCapability = Capability.read

    /// Notes whose the link is. `nil`: the sender may no longer come in, and the link is being closed.
    func admitLink(_ link: LinkID, of request: HTTPRequest, on loop: isolated NetworkLoop) -> Principal? {
        do throws(APIError) {
            let principal = try context.authenticator.authorizeSocket(request, for: LoopHandler.streamCapability)
            if case .device(let claims, _) = principal.holder { deviceLinks[link] = claims }
            return principal
        } catch {
            close(link, .unauthorized, on: loop)
            return nil
        }
    }

    /// Who sends on the link, with what they may do now; `nil`: nothing any more.
    func principal(of link: LinkID, openedBy opener: Principal) -> Principal? {
        guard let claims = deviceLinks[link] else { return opener }
        guard let current = context.authenticator.current(claims), current.may(LoopHandler.streamCapability) else {
            return nil
        }
        return current
    }

    /// Closes what belongs to devices that were revoked, may no longer read or whose token has run out.
    func sweepDeviceLinks(now: Timestamp, on loop: isolated NetworkLoop) {
        for (link, claims) in deviceLinks {
            if context.authenticator.current(claims)?.may(LoopHandler.streamCapability) != true {
                close(link, .unauthorized, on: loop)
            } else if claims.refusedFrom <= now {
                close(link, .tokenExpired, on: loop)
            }
        }
    }

    func close(_ link: LinkID, _ code: CloseCode, on loop: isolated NetworkLoop) {
        loop.close(link, code: code.number, reason: code.reason)
    }
}

/// The loops that are running, for who has to reach all of them.
final class RunningLoops: Sendable {
    private let loops = Mutex<[NetworkLoop]>([])

    func add(_ loop: NetworkLoop) {
        loops.withLock { $0.append(loop) }
    }

    func post(except one: NetworkLoop? = nil, _ work: @escaping @Sendable (isolated NetworkLoop) -> Void) {
        for loop in loops.withLock({ $0 }) where loop !== one { loop.post(work) }
    }

    /// Any thread.
    func sweepDeviceLinks(by clock: @escaping @Sendable () -> Timestamp) {
        post { loop in (loop.handler as? LoopHandler)?.sweepDeviceLinks(now: clock(), on: loop) }
    }
}
