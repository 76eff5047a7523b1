import EventModel

/// What of a workspace a subscriber wants to know while it happens.
public struct WorkspaceParts: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Changes of files: `file_changed`.
    public static let files = WorkspaceParts(rawValue: 1)
    /// Changes of the repository's state: `git_status_changed`.
    public static let git = WorkspaceParts(rawValue: 2)
    public static let all: WorkspaceParts = [.files, .git]

    /// Those whose types a filter lets pass.
    init(_ types: Set<EventType>?) {
        guard let types else {
            self = .all
            return
        }
        self = []
        if types.contains(.fileChanged) { insert(.files) }
        if types.contains(.gitStatusChanged) { insert(.git) }
    }
}

/// The subscribers that follow workspaces: by a filter that names the workspace, because they show or watch a session
/// in it, or because they have asked for it.
struct WorkspaceFollowers<Subscriber: Hashable & Comparable & Sendable> {
    enum Reason: Hashable {
        case filter, view, request
    }

    private var wishes: [Subscriber: [Reason: [String: WorkspaceParts]]] = [:]
    private(set) var ofWorkspace: [String: [Subscriber: WorkspaceParts]] = [:]
    /// What they have missed, because their sockets were full.
    private var missed: [Subscriber: [String: WorkspaceParts]] = [:]
    /// Somebody follows something else than before.
    private var hasChanged = false

    /// Replaces what the subscriber wants for one reason.
    mutating func set(_ wanted: [String: WorkspaceParts], for reason: Reason, of subscriber: Subscriber) {
        let wanted = wanted.filter { !$0.value.isEmpty }
        guard (wishes[subscriber]?[reason] ?? [:]) != wanted else { return }
        change(subscriber) { $0[reason] = wanted.isEmpty ? nil : wanted }
    }

    /// Adds to what the subscriber has asked for, or ends it if there are no parts.
    mutating func request(_ parts: WorkspaceParts, of workspace: String, by subscriber: Subscriber) {
        var wanted = wishes[subscriber]?[.request] ?? [:]
        wanted[workspace] = parts
        set(wanted, for: .request, of: subscriber)
    }

    mutating func remove(_ subscriber: Subscriber) {
        missed[subscriber] = nil
        guard wishes[subscriber] != nil else { return }
        change(subscriber) { $0 = [:] }
    }

    private mutating func change(_ subscriber: Subscriber, _ body: (inout [Reason: [String: WorkspaceParts]]) -> Void) {
        hasChanged = true
        var own = wishes[subscriber] ?? [:]
        for workspace in own.values.flatMap(\.keys) {
            ofWorkspace[workspace]?[subscriber] = nil
            if ofWorkspace[workspace]?.isEmpty ?? false { ofWorkspace[workspace] = nil }
        }
        body(&own)
        wishes[subscriber] = own.isEmpty ? nil : own
        for (workspace, parts) in own.values.flatMap({ $0 }) {
            ofWorkspace[workspace, default: [:]][subscriber, default: []].formUnion(parts)
        }
    }

    /// Whether anything has changed since the last call.
    mutating func takeChange() -> Bool {
        defer { hasChanged = false }
        return hasChanged
    }

    /// Those who get a notice of one part now. The others that follow it have missed it.
    mutating func take(
        _ part: WorkspaceParts,
        of workspace: String,
        isAllowed: (Subscriber) -> Bool,
        isBlocked: (Subscriber) -> Bool
    ) -> [Subscriber] {
        (ofWorkspace[workspace] ?? [:]).filter { $0.value.contains(part) && isAllowed($0.key) }.keys.sorted()
            .filter { subscriber in
                guard isBlocked(subscriber) else { return true }
                missed[subscriber, default: [:]][workspace, default: []].formUnion(part)
                return false
            }
    }

    /// What the subscriber has missed and still follows.
    mutating func takeMissed(by subscriber: Subscriber) -> [(workspace: String, parts: WorkspaceParts)] {
        (missed.removeValue(forKey: subscriber) ?? [:]).sorted { $0.key < $1.key }.map { workspace, parts in
            (workspace, parts.intersection(ofWorkspace[workspace]?[subscriber] ?? []))
        }
    }
}
