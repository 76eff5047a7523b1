/// A session, and the workspace it is seen in.
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
    case watch(PresencePlace)
    case unwatch
    case activate(PresencePlace)
    /// The person did something in the client just now.
    case interacted
    /// The client is on no screen any more.
    case hidden
}

/// Something that other viewers of a session are told.
public struct PresenceNotice: Sendable, Equatable {
    public enum Kind: Sendable {
        case joined
        case left
    }

    public var kind: Kind
    public var clientID: String
    public var place: PresencePlace
    /// Who views the session besides the client: those to tell, in the order of their coming.
    public var others: [String]
}

/// Which client looks at which session.
public struct Presence: Sendable, Equatable {
    static let maxActivePerClient = 64

    private var focused: [String: PresencePlace] = [:]
    private var watched: [String: PresencePlace] = [:]
    /// Of each client, the session that it has chosen in a workspace.
    private var active: [String: [String: String]] = [:]
    private var viewersOf: [String: [String]] = [:]

    public init() {}

    /// In the order of their coming.
    public func viewers(of sessionID: String) -> [String] { viewersOf[sessionID] ?? [] }

    /// The session that the client shows, as far as it has said so.
    public func place(of clientID: String) -> PresencePlace? { focused[clientID] ?? watched[clientID] }

    public func watched(by clientID: String) -> PresencePlace? { watched[clientID] }

    /// A session of the workspace that somebody watches; the asking client's own goes first.
    public func watchedSession(in workspaceID: String, for clientID: String) -> String? {
        if let own = watched[clientID], own.workspaceID == workspaceID { return own.sessionID }
        return watched.values.filter { $0.workspaceID == workspaceID }.map(\.sessionID).min()
    }

    public func activeSession(in workspaceID: String, for clientID: String) -> String? {
        active[clientID]?[workspaceID]
    }

    /// Returns whom to tell of it.
    public mutating func apply(_ change: PresenceChange, of clientID: String) -> [PresenceNotice] {
        switch change {
        case .focus(let place):
            activate(place, clientID)
            return focus(place, clientID)
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
    }
}
