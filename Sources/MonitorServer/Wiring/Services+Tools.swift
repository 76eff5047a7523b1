internal import API
internal import Access
internal import EventModel
internal import HTTPModel
internal import MCP
internal import Persistence
internal import Serving
internal import Sessions
internal import ToolRouter
internal import Tools

extension Services {
    static func asking(_ asker: PersonAsker, _ seal: WaitSeal) -> PersonAsking {
        PersonAsking(
            mayApprove: asker.shared.authenticator.mayApprove,
            open: asker.open,
            ask: asker.open,
            turn: asker.turn,
            left: asker.left,
            seal: { try? seal.seal($0) },
            unseal: seal.open
        )
    }

    /// The sender with its present rights, or `nil` if it is no longer admitted.
    static func current(_ principal: Principal, _ authenticator: Authenticator) -> Principal? {
        if case .machine(let grant) = principal.holder, !authenticator.knows(grant) { return nil }
        return authenticator.current(principal)
    }

    static func machineTools(_ tools: EndpointTools, _ profiles: ToolProfiles) -> MachineTools {
        MachineTools(
            mayRun: tools.mayRun,
            list: { principal, only throws(APIError) in
                try await tools.listed(for: principal, only: only.map(ToolSet.init))
            },
            search: { search, principal throws(APIError) in
                try await tools.found(
                    search.words,
                    machine: search.machine,
                    limit: search.limit,
                    for: principal,
                    only: search.only.map(ToolSet.init)
                )
            },
            begin: { call, caller throws(APIError) in
                var place = EndpointPlace()
                (place.session, place.project, place.machine) = (call.session, call.project, call.machine)
                (place.nearSession, place.toolUseID) = (call.nearSession, call.toolUseID)
                return try await tools.begin(
                    call.name,
                    call.arguments,
                    at: place,
                    onlyListed: call.isListed,
                    only: call.only.map(ToolSet.init),
                    caller
                )
            },
            result: { id, caller throws(APIError) in try await tools.result(of: id, for: caller) },
            isRunning: tools.isRunning,
            returned: tools.returned,
            left: tools.left,
            profile: { name throws(APIError) in try await profiles.tools(of: name).names }
        )
    }

    /// The tools of sessions of the tool router.
    static func sessionTools(_ endpoint: SessionEndpoint) -> ToolEndpoint {
        ToolEndpoint(
            path: SessionEndpoint.path,
            .tools,
            words: SessionEndpoint.words,
            list: { id, principal throws(APIError) in try await endpoint.list(id, for: principal) },
            call: { id, name, arguments, request throws(APIError) in
                switch try await endpoint.call(name, arguments, of: id, request) {
                case nil: nil
                case .call(let id): .call(id)
                case .work(let work): .work(work)
                }
            }
        )
    }

    static func tools(_ shared: SharedServices) -> ToolPorts {
        let (database, authenticator) = (shared.database, shared.authenticator)
        return ToolPorts(
            current: { current($0, authenticator) },
            machineOfSession: { id throws(APIError) in
                let session = try await database.use { store throws(PersistenceError) in try await store.session(id: id)
                }
                guard let session else { throw .sessionNotFound }
                return session.machine
            },
            machineNamed: { name throws(APIError) in try await database.machine(named: name) },
            steadyClock: shared.steadyClock
        )
    }
}
