internal import Synchronization

/// Lets one command at a time write in a repository. May be used on any thread.
package final class GitWriters: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var waiting: [String: [Waiter]] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())
    private let seconds: Double

    /// - Parameter seconds: how long a command waits for its turn.
    package init(seconds: Double = 10) { self.seconds = seconds }

    /// Runs `work` when no other command writes in the repository.
    ///
    /// - Parameter repository: a path that all worktrees of the repository share.
    package func withTurn<Value: Sendable>(
        _ repository: String,
        _ work: @Sendable () async throws(GitError) -> Value
    ) async throws(GitError) -> Value {
        guard await turn(repository) else { throw .busy("Another command still writes in this repository.") }
        do throws(GitError) {
            let value = try await work()
            pass(repository)
            return value
        } catch {
            pass(repository)
            throw error
        }
    }

    private func turn(_ repository: String) async -> Bool {
        let seconds = seconds
        return await withCheckedContinuation { continuation in
            let id = state.withLock { state -> Int? in
                guard state.waiting[repository] != nil else {
                    state.waiting[repository] = []
                    return nil
                }
                state.nextID += 1
                state.waiting[repository, default: []].append(Waiter(id: state.nextID, continuation: continuation))
                return state.nextID
            }
            guard let id else { return continuation.resume(returning: true) }
            Task {
                try? await Task.sleep(for: .seconds(seconds))
                giveUp(id, repository)
            }
        }
    }

    private func giveUp(_ id: Int, _ repository: String) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting[repository]?.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting[repository]?.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    private func pass(_ repository: String) {
        let next = state.withLock { state -> Waiter? in
            guard state.waiting[repository]?.isEmpty == false else {
                state.waiting[repository] = nil
                return nil
            }
            return state.waiting[repository]?.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
