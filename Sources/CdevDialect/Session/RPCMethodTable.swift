/// The methods by name.
public struct RPCMethodTable: Sendable {
    private let methods: [String: RPCMethod]

    /// If two methods have the same name, the later one is used.
    public init(_ groups: [[RPCMethod]]) {
        methods = Dictionary(groups.joined().map { ($0.name, $0) }) { _, later in later }
    }

    public static let standardGroups = [
        LifecycleMethods.all, EventMethods.all, StatusMethods.all, WorkspaceMethods.all, WorkspaceChangeMethods.all,
        SubscriptionMethods.all, SessionMethods.all, MessageMethods.all, PermissionMethods.all, AnswerMethods.all,
        TurnMethods.all, [PermissionRequests.request],
        PresenceMethods.all, PushMethods.all, [SessionOpening.start], RefusedMethods.all,
    ]

    public static let standard = RPCMethodTable(standardGroups)

    subscript(name: String) -> RPCMethod? { methods[name] }

    /// Sorted by name.
    public var all: [RPCMethod] { methods.values.sorted { $0.name < $1.name } }
}
