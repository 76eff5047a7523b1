package import RPC

/// All methods of the interface.
enum CdevMethods {
    static let groups = [
        LifecycleMethods.all, EventMethods.all, StatusMethods.all, WorkspaceMethods.all, WorkspaceChangeMethods.all,
        SubscriptionMethods.all, WatchMethods.all, SessionMethods.all, MessageMethods.all, PermissionMethods.all,
        AnswerMethods.all,
        TurnMethods.all, [PermissionRequests.request],
        PresenceMethods.all, PushMethods.all, [SessionOpening.start], LegacyMethods.all, DiscoveryMethods.all,
        FileMethods.all, GitMethods.all,
        RefusedMethods.all,
    ]

    fileprivate static let table = RPCMethodTable(groups)
}

extension RPCMethodTable<CdevHost> {
    package static var standard: RPCMethodTable { CdevMethods.table }
}
