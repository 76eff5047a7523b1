/// A session, and the workspace in which a client views it.
public struct PresencePlace: Sendable, Hashable {
    public var workspaceID: String
    public var sessionID: String

    public init(workspaceID: String, sessionID: String) {
        self.workspaceID = workspaceID
        self.sessionID = sessionID
    }
}

public enum PresenceChange: Sendable, Hashable {
    case focus(PresencePlace)
    /// The client no longer shows a session.
    case unfocus
    case watch(PresencePlace)
    case unwatch
    case activate(PresencePlace)
    /// The person has just interacted with the client.
    case interacted
    /// The client is no longer visible.
    case hidden
}

/// A notice to the other viewers of a session.
public struct PresenceNotice: Sendable, Equatable {
    public enum Kind: Sendable {
        case joined
        case left
    }

    public var kind: Kind
    public var clientID: String
    public var place: PresencePlace
    /// The other viewers of the session, who get the notice, in the order in which they came.
    public var others: [String]
}

/// Records which client views which session.
public struct Presence: Sendable, Equatable {
    static let maxActivePerClient = 64

    private var focused: [String: PresencePlace] = [:]
    private var watched: [String: PresencePlace] = [:]
    /// For each client, the selected session in each workspace.
    private var active: [String: [String: String]] = [:]
    /// For each client, what it has selected last.
    private var lastChosen: [String: PresencePlace] = [:]
    private var viewersOf: [String: [String]] = [:]

    public init() {}

    /// In the order in which they came.
    public func viewers(of sessionID: String) -> [String] { viewersOf[sessionID] ?? [] }

    /// The session that the client shows, if the client has reported it.
    public func place(of clientID: String) -> PresencePlace? { focused[clientID] ?? watched[clientID] }

    /// The workspaces of the sessions that the client shows and watches.
    func workspaces(of clientID: String) -> Set<String> {
        Set([focused[clientID], watched[clientID]].compactMap { $0?.workspaceID }.filter { !$0.isEmpty })
    }

    public func watched(by clientID: String) -> PresencePlace? { watched[clientID] }

    /// A session of the workspace that any client watches. The requesting client's own session takes precedence.
    public func watchedSession(in workspaceID: String, for clientID: String) -> String? {
        if let own = watched[clientID], own.workspaceID == workspaceID { return own.sessionID }
        return watched.values.filter { $0.workspaceID == workspaceID }.map(\.sessionID).min()
    }

    public func activeSession(in workspaceID: String, for clientID: String) -> String? {
        active[clientID]?[workspaceID]
    }

    /// The session that the client has selected last, in any workspace.
    public func chosen(by clientID: String) -> PresencePlace? { lastChosen[clientID] }

    /// Returns the resulting notices.
    public mutating func apply(_ change: PresenceChange, of clientID: String) -> [PresenceNotice] {
        switch change {
        case .focus(let place):
            activate(place, clientID)
            return focus(place, clientID)
        case .unfocus: return leave(clientID)
        case .watch(let place):
            watched[clientID] = place
            activate(place, clientID)
        case .unwatch: watched[clientID] = nil
        case .activate(let place): activate(place, clientID)
        case .interacted, .hidden: break
        }
        return []
    }

    /// The client's socket is closed.
    public mutating func remove(_ clientID: String) -> [PresenceNotice] {
        watched[clientID] = nil
        active[clientID] = nil
        lastChosen[clientID] = nil
        return leave(clientID)
    }

    private mutating func focus(_ place: PresencePlace, _ clientID: String) -> [PresenceNotice] {
        guard focused[clientID] != place else { return [] }
        let left = leave(clientID)
        let others = viewers(of: place.sessionID)
        focused[clientID] = place
        viewersOf[place.sessionID, default: []].append(clientID)
        guard !others.isEmpty else { return left }
        return left + [PresenceNotice(kind: .joined, clientID: clientID, place: place, others: others)]
    }

    private mutating func leave(_ clientID: String) -> [PresenceNotice] {
        guard let place = focused.removeValue(forKey: clientID) else { return [] }
        let others = viewers(of: place.sessionID).filter { $0 != clientID }
        viewersOf[place.sessionID] = others.isEmpty ? nil : others
        guard !others.isEmpty else { return [] }
        return [PresenceNotice(kind: .left, clientID: clientID, place: place, others: others)]
    }

    private mutating func activate(_ place: PresencePlace, _ clientID: String) {
        var chosen = active[clientID] ?? [:]
        if chosen[place.workspaceID] == nil, chosen.count >= Presence.maxActivePerClient { chosen = [:] }
        chosen[place.workspaceID] = place.sessionID
        active[clientID] = chosen
        lastChosen[clientID] = place
    }
}
