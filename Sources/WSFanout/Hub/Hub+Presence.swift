extension Hub {
    /// Of the sockets whose clients have said which session they show.
    public var viewers: [(subscriber: Subscriber, sessionID: String)] {
        clientIDs.compactMap { subscriber, clientID in
            presence.place(of: clientID).map { (subscriber, $0.sessionID) }
        }
    }

    /// Notes where a client is, and tells the others.
    func note(_ change: PresenceChange, of clientID: String, at subscriber: Subscriber) {
        clientIDs[subscriber] = clientID
        subscribersOfClients[clientID] = subscriber
        notices += presence.apply(change, of: clientID)
    }

    /// The socket is closed: the others are told at the next `sendNotices`.
    func forgetPresence(_ subscriber: Subscriber) {
        guard let clientID = clientIDs.removeValue(forKey: subscriber) else { return }
        subscribersOfClients[clientID] = nil
        notices += presence.remove(clientID)
    }

    /// Sends what has gathered. Not in the middle of a publish: a socket that blocks there would count as one that has
    /// the whole batch.
    func sendNotices() {
        while !notices.isEmpty {
            let notice = notices.removeFirst()
            guard notice.others.count <= limits.noticedViewers else { continue }
            let frame = notice.frame(at: time)
            for other in notice.others {
                if let subscriber = subscribersOfClients[other] { send(frame, to: subscriber) }
            }
        }
    }
}
