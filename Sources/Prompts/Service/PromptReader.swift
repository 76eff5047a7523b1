internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
package import Sessions

/// Reads prompts, and adds what their rows do not have: the content, and whether a hook waits.
package struct PromptReader: Sendable {
    /// The maximum bytes of contents in one response.
    package static let maximumListedBytes = 4 << 20

    /// The maximum bytes of a prompt's content in an event of the log. Clients fetch larger content.
    private static let maximumLoggedBytes = 32 << 10

    let environment: PromptEnvironment
    let hooks: WaitingHooks

    func record(_ promptID: String) async throws(APIError) -> PromptRecord? {
        try await environment.database.use { store throws(PersistenceError) in try await store.prompt(id: promptID) }
    }

    /// One prompt, as anybody who may read sees it.
    func prompt(_ id: String) async throws(APIError) -> PromptRecord {
        guard let record = try await record(id) else { throw .promptNotFound }
        return await completed(record)
    }

    func completed(_ record: PromptRecord) async -> PromptRecord { await completed([record])[0] }

    /// Adds the content of each prompt and whether it can be answered. What the database stores is missing while the
    /// database is unavailable.
    ///
    /// - Parameter maximumBytes: the limit of all contents together. The content of a prompt beyond it is left out and
    ///   marked as truncated. Clients read that prompt by itself.
    package func completed(
        _ records: [PromptRecord],
        maximumBytes: Int = maximumListedBytes
    ) async -> [PromptRecord] {
        await completed(records, maximumBytes) { hooks.hold(of: $0)?.content }
    }

    /// Adds whether each prompt can be answered, and its content as the content policy keeps it, for events of the log.
    func stored(_ records: [PromptRecord]) async -> [PromptRecord] {
        await completed(records, PromptReader.maximumListedBytes) { _ in nil }.map { record in
            guard let content = record.content, content.bytes > PromptReader.maximumLoggedBytes else {
                return record
            }
            var record = record
            record.content = .leftOut
            return record
        }
    }

    private func completed(
        _ records: [PromptRecord],
        _ maximumBytes: Int,
        held: (String) -> HeldContent?
    ) async -> [PromptRecord] {
        guard !records.isEmpty else { return [] }
        let (now, alive) = (environment.clock(), environment.aliveSince)
        let open = records.filter { $0.prompt.state == .open }.map(\.prompt.id)
        let isAsked = Set(open)
        let stored = try? await environment.database.use { store throws(PersistenceError) in
            (
                holds: open.isEmpty ? [:] : try await store.holds(of: open, now: now, alive: alive),
                payloads: try await store.payloads(at: records.map(\.prompt.openingSeq))
            )
        }
        let callers = (try? await environment.callers(records.map(\.prompt.toolUseID))) ?? [:]
        var left = maximumBytes
        return records.map { record in
            var record = record
            record.caller = callers[record.prompt.toolUseID]
            let payload = stored?.payloads[record.prompt.openingSeq]
            let content = isAsked.contains(record.prompt.id) ? held(record.prompt.id) : nil
            if isAsked.contains(record.prompt.id), let held = stored?.holds[record.prompt.id] {
                (record.heldUntil, record.isAnswerable, record.terms) = (held.until, true, held.policy.terms)
            }
            if let content {
                record.content = content.shown
            } else if let payload, payload.count <= left {
                record.content = PromptContent(hook: payload, maximumBytes: .max)
                record.content?.isTruncated = StoredContent.isCut(payload)
                record.content?.masked = StoredContent.maskedMembers(payload)
            } else if payload != nil {
                record.content = .leftOut
            }
            let bytes = record.content?.bytes ?? 0
            if bytes <= left { left -= bytes } else { record.content = .leftOut }
            return record
        }
    }
}

extension PromptContent {
    /// The content of a prompt that is too large for a list or an event.
    fileprivate static var leftOut: PromptContent {
        var content = PromptContent()
        content.isTruncated = true
        return content
    }
}

/// The part of a hook's object that the content policy has kept.
enum StoredContent {
    private static let marks = ["… [+", "bytes omitted]", "[omitted]", "\"omitted_members\""].map { Array($0.utf8) }

    /// Whether parts of the payload may be missing. Text that looks like a mark counts as one.
    static func isCut(_ payload: [UInt8]) -> Bool { marks.contains { payload.firstRange(of: $0) != nil } }

    /// JSON Pointers into the tool's input: the values that may be masked. Text that looks like a mask counts as one.
    static func maskedMembers(_ payload: [UInt8]) -> [String] {
        guard payload.firstRange(of: Array("***".utf8)) != nil, let hook = try? JSONValue.parse(payload, maxDepth: 200)
        else { return [] }
        return MaskedMembers.pointers(in: hook["tool_input"] ?? .null) { $0.contains("***") }
    }
}
