import EventModel

extension Hub {
    /// The visible clients that have reported a person's activity, with the seconds since the last activity and, if
    /// reported, the session that they show.
    public var viewers: [(subscriber: Subscriber, sessionID: String?, idleSeconds: Double)] {
        lastInteractions.map { subscriber, time in
            let place = clientIDs[subscriber].flatMap { presence.place(of: $0) }
            return (subscriber, place?.sessionID, now.seconds(since: time))
        }
    }

    /// Records a client's location and notifies the others.
    func note(_ change: PresenceChange, of clientID: String, at subscriber: Subscriber) {
        clientIDs[subscriber] = clientID
        subscribersOfClients[clientID] = subscriber
        let before = presence.place(of: clientID)
        notices += presence.apply(change, of: clientID)
        followViews(of: clientID, subscriber)
        switch change {
        case .interacted: lastInteractions[subscriber] = now
        case .hidden: lastInteractions[subscriber] = nil
        case .focus, .watch:
            // A repeated message may be sent by the client itself, and does not show that a person is active.
            if presence.place(of: clientID) != before { lastInteractions[subscriber] = now }
        case .unfocus, .unwatch, .activate: break
        }
    }

    /// The socket is closed. The others are notified at the next `sendNotices`.
    func forgetPresence(_ subscriber: Subscriber) {
        guard let clientID = clientIDs.removeValue(forKey: subscriber) else { return }
        subscribersOfClients[clientID] = nil
        lastInteractions[subscriber] = nil
        notices += presence.remove(clientID)
    }

    /// Sends the collected notices. Do not call it during a publish: a socket that blocks here would count as having
    /// received the whole batch.
    func sendNotices() {
        while !notices.isEmpty {
            let notice = notices.removeFirst()
            guard notice.others.count <= limits.noticedViewers else { continue }
            tell(notice)
        }
    }

    private func tell(_ notice: PresenceNotice) {
        let frame = output.frame(of: notice, at: time)
        for other in notice.others {
            if let subscriber = subscribersOfClients[other] { send(frame, to: subscriber) }
        }
    }
}
