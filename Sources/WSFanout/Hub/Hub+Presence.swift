import EventModel

extension Hub {
    /// The clients on screen that have told of a person, with the seconds since the person's latest sign and the
    /// session that they show, as far as they have said.
    public var viewers: [(subscriber: Subscriber, sessionID: String?, idleSeconds: Double)] {
        lastInteractions.map { subscriber, time in
            let place = clientIDs[subscriber].flatMap { presence.place(of: $0) }
            return (subscriber, place?.sessionID, now.seconds(since: time))
        }
    }

    /// Notes where a client is, and tells the others.
    func note(_ change: PresenceChange, of clientID: String, at subscriber: Subscriber) {
        clientIDs[subscriber] = clientID
        subscribersOfClients[clientID] = subscriber
        let before = presence.place(of: clientID)
        notices += presence.apply(change, of: clientID)
        switch change {
        case .interacted: lastInteractions[subscriber] = now
        case .hidden: lastInteractions[subscriber] = nil
        case .focus, .watch:
            // What a client repeats by itself is no sign of a person.
            if presence.place(of: clientID) != before { lastInteractions[subscriber] = now }
        case .unwatch, .activate: break
        }
    }

    /// The socket is closed: the others are told at the next `sendNotices`.
    func forgetPresence(_ subscriber: Subscriber) {
        guard let clientID = clientIDs.removeValue(forKey: subscriber) else { return }
        subscribersOfClients[clientID] = nil
        lastInteractions[subscriber] = nil
        notices += presence.remove(clientID)
    }

    /// Sends what has gathered. Not in the middle of a publish: a socket that blocks there would count as one that has
    /// the whole batch.
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
