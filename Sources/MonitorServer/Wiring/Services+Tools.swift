internal import API
internal import Access
internal import EventModel
internal import HTTPModel
internal import MCP
internal import Persistence
internal import Serving
internal import Sessions

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

    static func tools(_ shared: SharedServices) -> ToolPorts {
        let (database, authenticator) = (shared.database, shared.authenticator)
        return ToolPorts(
            current: { principal in
                if case .machine(let grant) = principal.holder, !authenticator.knows(grant) { return nil }
                return authenticator.current(principal)
            },
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
