package import API
internal import EventModel
internal import HTTPModel
package import JSON
internal import Persistence
internal import Sessions

/// What sessions have changed. The machines' agents keep it; the log knows who did it.
extension AgentService {
    static let changeSeconds = 60.0
    /// Bytes of a patch in one text.
    private static let mostPatch = 8 << 20
    /// Questions for one such text.
    private static let mostParts = 20_000

    func changes(
        _ request: ChangeRequest,
        of id: String,
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        do throws(APIError) {
            let (set, session) = try await changeSet(request, of: id, by: responder)
            // A short page does not take the place of a longer one.
            let isLong = (request.limit ?? ChangeRequest.usualFiles) >= ChangeRequest.usualFiles
            if request.takesLast, isLong || set.nextSkip == nil {
                await told.note(set, of: session.id, now: clock())
            }
            return set.json(session: session.id, try await authors(of: set, session), hasContent: request.showsContent)
        } catch {
            if AgentRefusal.isAbsence(error), request.takesLast, let last = try await lastChanges(request, of: id) {
                return last
            }
            // The machine no longer shows it.
            if error.status == 403, AgentRefusal.isOfMachine(error) { await told.forget([id]) }
            throw error
        }
    }

    /// What the session's agent told last, for the time in which it is away. `nil` if nothing is known.
    private func lastChanges(_ request: ChangeRequest, of id: String) async throws(APIError) -> JSONValue? {
        let session = try await ports.session(id)
        guard let (known, age) = try await told.last(of: session.id, now: clock()) else { return nil }
        let limit = min(request.limit.map { Int($0) } ?? ToldChanges.mostFiles, ToldChanges.mostFiles)
        let set = try SessionChangeSet(known.names(atMost: limit))
        let json = set.json(session: session.id, try await authors(of: set, session), hasContent: false)
        guard case .object(let members) = json else { return nil }
        return .object(members + [("is_last_known", .bool(true)), ("age_seconds", .integer(Int64(age)))])
    }

    /// The names and counts for an export. `nil` if the machine's agent cannot say or has no baseline.
    package func exportedChanges(of id: String, by responder: Responder) async -> JSONValue? {
        var request = ChangeRequest()
        request.limit = ChangeRequest.mostFiles
        let changes = try? await changes(request, of: id, by: responder)
        return changes?["base"]?.isObject == true ? changes : nil
    }

    /// The session's own change set as git's diffs are.
    func sessionDiff(
        _ request: ChangeRequest,
        of id: String,
        at place: WorkspacePlace,
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        guard links.link(of: place.machine) != nil else { throw AgentRefusal.unavailable(place.machineName) }
        guard try await ports.session(id).machine == place.machine else { throw .sessionNotFound }
        let (set, _) = try await changeSet(request, of: id, by: responder)
        guard let path = request.path ?? request.pathBytes else { return set.diff }
        let unchanged: [(String, JSONValue)] = [
            ("path", .string(path)), ("diff", .string("")), ("is_staged", .bool(false)), ("is_new", .bool(false)),
            ("is_truncated", .bool(false)),
        ]
        return set.diff["diffs"]?.array?.first ?? .object(unchanged)
    }

    /// All patches in one text, as `git apply` takes them.
    func patch(_ first: ChangeRequest, of id: String, by responder: Responder) async throws(APIError) -> String {
        var (request, text, parts) = (first, "", 0)
        request.hasHunks = true
        while true {
            parts += 1
            let (set, session) = try await changeSet(request, of: id, by: responder)
            request.end = set.endID
            for file in set.files {
                text += SessionChangeSet.patch(file)
                text += try await rest(of: file, request, session, by: responder, &parts)
                guard text.utf8.count <= AgentService.mostPatch else {
                    throw APIError(
                        .invalidRequest,
                        status: 413,
                        code: "file_too_large",
                        message: "The patches have more than 8 MiB. Ask for one file at a time."
                    )
                }
            }
            // After a cancellation, nobody reads the text.
            guard let next = set.nextSkip, !Task.isCancelled else { return text }
            // An agent whose pages do not end is asked no more.
            guard next > request.skips, !set.files.isEmpty, parts < AgentService.mostParts else {
                throw AgentRefusal.malformed
            }
            request.skips = next
        }
    }

    /// What had no room beside the other files.
    private func rest(
        of file: JSONValue,
        _ request: ChangeRequest,
        _ session: Session,
        by responder: Responder,
        _ parts: inout Int
    ) async throws(APIError) -> String {
        var (text, next) = ("", file["next_offset"]?.integer)
        while let offset = next, !Task.isCancelled {
            parts += 1
            var part = request
            (part.path, part.pathBytes) = (file["path"]?.string, file["path_b64"]?.string)
            (part.offset, part.skips) = (offset, 0)
            let (set, _) = try await changeSet(part, of: session.id, by: responder)
            guard let more = set.files.first else { return text }
            text += (more["hunks"]?.array ?? []).compactMap(\.string).joined()
            next = more["next_offset"]?.integer
            guard text.utf8.count <= AgentService.mostPatch else { return text }
            guard next ?? .max > offset, parts < AgentService.mostParts else { throw AgentRefusal.malformed }
        }
        return text
    }

    private func changeSet(
        _ request: ChangeRequest,
        of id: String,
        by responder: Responder
    ) async throws(APIError) -> (SessionChangeSet, Session) {
        let session = try await ports.session(id)
        if request.showsContent { try WorkspaceRight.look.require(of: responder, on: session.machine) }
        guard let link = links.link(of: session.machine) else { throw AgentRefusal.unavailable(session.machineName) }
        let command = AgentCommand(
            "changes/get",
            id: newID(),
            by: responder.actor,
            request.arguments(session: session.ownID, hasEnded: session.endedAt != nil)
        )
        return (try SessionChangeSet(try await link.call(command, seconds: AgentService.changeSeconds)), session)
    }

    private func authors(of set: SessionChangeSet, _ session: Session) async throws(APIError) -> ChangeAuthors {
        guard let begin = set.baseTime, !set.files.isEmpty else {
            return ChangeAuthors(own: ChangeAuthors.Tools(), others: ChangeAuthors.Tools(), roots: [])
        }
        return try await database.use { store throws(PersistenceError) in
            let own = try await store.changeTools(of: [session.id], since: nil)
            let beside = try await store.sessions(on: session.machine, beside: session.id, since: begin)
            let others = try await store.changeTools(of: beside, since: begin)
            return ChangeAuthors(own: own, others: others, roots: set.roots)
        }
    }
}

extension Session {
    /// Claude Code's own id, without what is added if another machine has used it.
    var ownID: String { id.firstIndex(of: "@").map { String(id[..<$0]) } ?? id }
}
