package import API
package import EventModel
package import HTTPModel
internal import JSON

/// Workspaces that agents watch.
extension AgentService {
    private static let watcher = Actor(kind: "rule", name: "watch")

    /// Has an agent watch these workspaces, and no others.
    package func watch(_ targets: [WatchPlan.Target], on link: AgentLink) async throws(APIError) {
        let command = AgentCommand(
            "watch/set",
            id: newID(),
            by: AgentService.watcher,
            [("workspaces", .array(targets.map(\.json)))]
        )
        do throws(APIError) {
            _ = try await link.call(command, seconds: AgentService.commandSeconds)
        } catch {
            // An older agent watches nothing, however often it is asked.
            guard error.code == AgentRefusal.outdated.code else { throw error }
        }
        let repositories = Set(targets.filter(\.parts.git).map(\.workspaceID))
        trackers.watched(repositories, on: link.machine, now: steadyClock())
    }

    /// The machines and directories of workspaces. Returns `nil` if the database does not answer.
    package func places(of workspaces: Set<String>) async -> [String: (machine: MachineID, path: String)]? {
        var places: [String: (machine: MachineID, path: String)] = [:]
        for workspace in workspaces.sorted() {
            do throws(APIError) {
                let place = try await place(ofProject: workspace)
                places[workspace] = (place.machine, place.path)
            } catch {
                guard ["project_not_found", "no_directory"].contains(error.code) else { return nil }
            }
        }
        return places
    }

    /// Seconds in which a tracker must be made.
    private static let trackerSeconds = 3.0

    /// Asks the machine's agent for the state of a repository, if the person may look at it.
    package func refreshTracker(of workspace: String, for responder: Responder) async {
        // The agent that watches the repository knows best, also that git fails there.
        guard trackers.tracker(of: workspace, now: steadyClock())?.isWatched != true else { return }
        guard let place = try? await place(ofProject: workspace), links.link(of: place.machine) != nil,
            WorkspaceRight.look.isHeld(by: responder.principal, on: place.machine)
        else { return }
        do throws(APIError) {
            let status = try await carryOut(
                "git/status",
                [],
                at: place,
                with: .look,
                seconds: AgentService.trackerSeconds,
                by: responder
            )
            trackers.note(status: status, of: workspace, on: place.machine, now: steadyClock())
        } catch {
            track(error, of: workspace, on: place.machine)
        }
    }

    /// What is known of a workspace's repository. `nil`: nothing, or the principal may not look at it.
    package func tracker(of workspace: String, for principal: Principal) -> GitTracker? {
        guard var tracker = trackers.tracker(of: workspace, now: steadyClock()),
            WorkspaceRight.look.isHeld(by: principal, on: tracker.machine)
        else { return nil }
        guard links.link(of: tracker.machine) != nil else {
            (tracker.state, tracker.status) = (.unavailable, nil)
            return tracker
        }
        return tracker
    }
}
