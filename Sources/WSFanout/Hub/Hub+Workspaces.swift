import EventModel

/// What changes in workspaces. It is not stored: a subscriber that misses a notice learns later that it has.
extension Hub {
    /// The followers of workspaces.
    package var workspaceFollowers: [String: [Subscriber: WorkspaceParts]] { followers.ofWorkspace }

    /// Whether somebody follows something else than at the last call.
    package func takeFollowersChange() -> Bool { followers.takeChange() }

    /// Sends a notice to the followers of a workspace.
    ///
    /// - Parameter isAllowed: whether a subscriber may have it.
    package func send(
        _ notice: StreamNotice,
        about part: WorkspaceParts,
        of workspace: String,
        to isAllowed: (Subscriber) -> Bool
    ) {
        send(notice, to: followers.take(part, of: workspace, isAllowed: isAllowed) { blocked[$0] != nil })
    }

    /// Tells a subscriber whose socket has drained what it has missed.
    package func sendMissed(to subscriber: Subscriber, _ notice: (String, WorkspaceParts) -> StreamNotice?) {
        guard blocked[subscriber] == nil, let transport = subscriptions[subscriber]?.transport else { return }
        for (workspace, parts) in followers.takeMissed(by: subscriber) {
            for part in [WorkspaceParts.files, .git] where parts.contains(part) {
                if let notice = notice(workspace, part) { send(notice.bytes(for: transport), to: subscriber) }
            }
        }
    }

    /// By the filter of the subscription.
    func follow(_ filter: EventFilter?, _ subscriber: Subscriber) {
        let parts = WorkspaceParts(filter?.types)
        var wanted: [String: WorkspaceParts] = [:]
        if let workspace = filter?.workspaceID {
            wanted[workspace] = parts
        } else {
            for workspace in filter?.workspaceIDs ?? [] { wanted[workspace] = parts }
        }
        followers.set(wanted, for: .filter, of: subscriber)
    }

    /// By the sessions that the client shows and watches.
    func followViews(of clientID: String, _ subscriber: Subscriber) {
        let views = presence.workspaces(of: clientID)
        followers.set(Dictionary(uniqueKeysWithValues: views.map { ($0, .all) }), for: .view, of: subscriber)
    }
}
