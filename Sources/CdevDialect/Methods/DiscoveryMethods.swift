import EventModel
import JSON
import RPC

/// `workspace/discover`: directories that could become workspaces.
enum DiscoveryMethods {
    static let all = [discover]

    /// The machines that one call asks.
    private static let mostMachines = 16

    private static let description = RPCDescription(
        "Looks for repositories, and for directories in which Claude Code has worked, below the roots that the "
            + "machines' files name. Asks the machines whose agents are connected and that the client may drive.",
        [
            .anything("paths", "Where to look, as a list; by default below all roots."),
            .text("machine_name", "Only this machine.").also("machine_id"),
        ],
        as: discovered,
        needs: .control,
        errors: [.agentNotConfigured, .notAllowed]
    )

    private struct Place {
        let found: RPCDiscovery.Found
        let machineName: String
        /// The workspace, if there is one.
        let workspaceID: String?
    }

    private typealias Discovered = (places: [Place], isComplete: Bool, milliseconds: Int64)

    private static let discovered = ObjectShape<Discovered>("DiscoveredWorkspaces") { it in
        it.list("repositories", of: place) { $0.places }
        it.member("count") { $0.places.count }
        it.member("complete") { $0.isComplete }
        // Each call looks at the disks.
        it.member("cached") { _ in false }
        it.member("cache_age_seconds") { _ in 0 }
        it.member("refresh_in_progress") { _ in false }
        it.member("elapsed_ms") { $0.milliseconds }
    }

    private static let place = ObjectShape<Place>("DiscoveredWorkspace") { it in
        it.member("name") { DirectoryPath.lastPart(of: $0.found.path) }
        it.member("path") { $0.found.path }
        it.member("machine_name") { $0.machineName }
        it.member("is_git_repo") { $0.found.isRepository }
        it.member("conversations") { $0.found.conversations }
        it.member("last_modified") { $0.found.modifiedAt }
        it.member("is_configured") { $0.workspaceID != nil }
        it.member("workspace_id") { $0.workspaceID }
    }

    private static let discover = CdevMethod.query("workspace/discover", description) { call async throws(RPCError) in
        let began = call.clock()
        let paths = try paths(call.params)
        var (places, isComplete) = ([Place](), true)
        var fault: RPCError?
        var isAnyoneThere = false
        for machine in try await machines(call) {
            do throws(RPCError) {
                guard let result = try await look(paths, on: machine, call) else { continue }
                isAnyoneThere = true
                places += result.places
                isComplete = isComplete && result.isComplete
            } catch {
                fault = error
            }
        }
        guard isAnyoneThere else { throw fault ?? .agentNotConfigured("workspace/discover") }
        let milliseconds = Int64(call.clock().seconds(since: began) * 1000)
        return RPCAnswer(RPCResult(discovered, (places, isComplete && fault == nil, max(0, milliseconds))))
    }

    private static func look(
        _ paths: [String]?,
        on machine: MachineID,
        _ call: CdevQuery
    ) async throws(RPCError) -> (places: [Place], isComplete: Bool)? {
        let search = RPCDiscovery(
            principal: call.context.principal,
            method: "workspace/discover",
            machine: machine,
            paths: paths
        )
        guard let result = try await call.services.discover(search) else { return nil }
        let workspaces = call.services.workspaces
        let name = try await workspaces.machines().first { $0.id == machine }?.name ?? ""
        let known = Set(try await workspaces.workspaces().workspaces.map(\.id))
        let places = result.found.map { found in
            let id = WorkspaceID.make(machine: machine, path: found.path)
            return Place(found: found, machineName: name, workspaceID: known.contains(id) ? id : nil)
        }
        return (places, result.isComplete)
    }

    private static func machines(_ call: CdevQuery) async throws(RPCError) -> [MachineID] {
        let alias = try call.params.string("machine_id")
        guard let name = try call.params.string("machine_name") ?? alias else {
            return Array(call.context.abilities().controlled.sorted { $0.rawValue < $1.rawValue }.prefix(mostMachines))
        }
        guard let machine = try await call.services.workspaces.machine(named: name) else {
            throw .invalidParameter("machine_name", "names no machine")
        }
        let principal = call.context.principal
        guard principal.may(.control, on: machine) else {
            let what = principal.lacking(.control, on: machine)
            throw .notAllowed(what, reason: "insufficient_scope", "workspace/discover")
        }
        return [machine]
    }

    private static func paths(_ params: RPCParams) throws(RPCError) -> [String]? {
        guard let value = params.value("paths") else { return nil }
        guard let list = value.array, list.count <= 64 else {
            throw .invalidParameter("paths", "is not a list of at most 64 paths")
        }
        let paths = list.compactMap(\.string).filter {
            $0.hasPrefix("/") && $0.utf8.count <= 4096 && !$0.utf8.contains(0)
        }
        guard paths.count == list.count else { throw .invalidParameter("paths", "are not absolute paths") }
        return paths.isEmpty ? nil : paths
    }
}
