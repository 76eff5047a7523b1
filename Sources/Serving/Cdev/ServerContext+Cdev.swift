internal import API
internal import Agents
internal import CdevDialect
internal import HTTPModel
internal import JSON
internal import Notifications
internal import RPC
internal import Sessions

extension ServerContext {
    /// What cdev's methods use.
    ///
    /// - Parameter origin: the request that opened the socket, for the audit log.
    func cdevServices(_ origin: Caller) -> CdevServices {
        let database = CdevDatabase(context: self)
        return CdevServices(
            log: database,
            sessions: database,
            workspaces: database,
            prompts: CdevInteraction(context: self),
            start: { start async throws(RPCError) in try await self.start(start) },
            discover: { search async throws(RPCError) in try await self.discover(search) },
            files: { call async throws(RPCError) in try await self.files(call) },
            git: { call async throws(RPCError) in try await self.git(call) },
            tracker: { workspace, principal in self.tracker(of: workspace, for: principal) },
            track: { workspace, principal in await self.track(workspace, for: principal) },
            push: { call async throws(RPCError) in try await self.push(call, from: origin) },
            clock: clock
        )
    }

    private func start(_ start: RPCStart) async throws(RPCError) -> Session? {
        guard agents.links.count > 0 else { return nil }
        var request = SessionStart()
        (request.projectID, request.resume, request.sessionID) = (start.workspaceID, start.resume, start.sessionID)
        (request.mode, request.message) = (start.permissionMode, start.prompt)
        do throws(APIError) {
            return try await agents.start(request, by: Responder(start.principal))
        } catch {
            if error.code == "agent_unavailable" { return nil }
            if error.code == "project_not_found" { throw .workspaceNotFound(start.workspaceID) }
            throw RPCError(error, method: start.method)
        }
    }

    private func discover(_ search: RPCDiscovery) async throws(RPCError) -> RPCDiscovery.Result? {
        guard let link = agents.links.link(of: search.machine) else { return nil }
        do throws(APIError) {
            let result = try await agents.discover(
                search.paths,
                depth: search.isExact ? 0 : nil,
                on: link,
                by: Responder(search.principal)
            )
            return result.map { result in
                let found = result.found.map {
                    RPCDiscovery.Found(
                        path: $0.path,
                        isRepository: $0.isRepository,
                        conversations: $0.conversations,
                        modifiedAt: $0.modifiedAt
                    )
                }
                return (found, result.isComplete)
            }
        } catch {
            if error.code == "agent_unavailable" || error.code == "agent_outdated" { return nil }
            throw RPCError(error, method: search.method)
        }
    }

    private func push(_ call: RPCPushCall, from origin: Caller) async throws(RPCError) -> [UInt8] {
        let caller = PushCaller(
            call.principal,
            named: call.named,
            peer: origin.peer,
            requestID: origin.requestID
        )
        do throws(APIError) {
            switch call.request {
            case .offer: return pushAPI.offer()
            case .tokens: return try await pushAPI.tokens(for: caller)
            case .register(let token): return try await pushAPI.register(token, for: caller)
            case .removeTokens(let id): return try await pushAPI.removeTokens(id: id, for: caller)
            case .preferences(let scope, let id):
                return try await pushAPI.preferences(PushLayer(kind: scope, id: id), for: caller)
            case .setPreferences(let scope, let id, let settings):
                var writer = JSONWriter()
                writer.value(settings)
                return try await pushAPI.setPreferences(PushLayer(kind: scope, id: id), writer.bytes, for: caller)
            case .removePreferences(let scope, let id):
                return try await pushAPI.removePreferences(PushLayer(kind: scope, id: id), for: caller)
            }
        } catch {
            throw RPCError(error, method: call.request.method)
        }
    }
}
