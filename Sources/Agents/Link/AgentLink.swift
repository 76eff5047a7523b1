internal import API
package import EventModel
package import HTTPModel
package import JSON
package import RPC
internal import Synchronization

/// A connected agent, to which commands can be sent. May be used on any thread.
package final class AgentLink: Sendable {
    package typealias Completion = @Sendable (RPCOutcome) -> Void
    /// Calls a method of the agent. `completion` is called once, on any thread.
    package typealias Send =
        @Sendable (
            _ method: String, _ seconds: Double, _ params: JSONValue, _ completion: @escaping Completion
        ) -> Void

    package let machine: MachineID
    package let machineName: String
    package let greeting: AgentGreeting
    package let since: Timestamp
    private let allowed: Mutex<MachineAgent.Permissions>
    private let send: Send

    package init(
        _ grant: MachineGrant,
        _ greeting: AgentGreeting,
        since: Timestamp,
        send: @escaping Send
    ) {
        (machine, machineName) = (grant.machine, grant.machineName)
        (self.greeting, self.since, self.send) = (greeting, since, send)
        allowed = Mutex(greeting.may)
    }

    /// What the machine's file allows, as the agent last said it.
    package var may: MachineAgent.Permissions {
        get { allowed.withLock { $0 } }
        set { allowed.withLock { $0 = newValue } }
    }

    /// Has the agent carry out a command. If the command's outcome is unknown, the error says so; the same command,
    /// with the same id, may then be repeated.
    package func call(_ command: AgentCommand, seconds: Double) async throws(APIError) -> JSONValue {
        try await call(command.method, command.params(seconds: seconds), seconds: seconds)
    }

    /// Calls a method that is no command of a person.
    @discardableResult
    func call(_ method: String, _ params: JSONValue, seconds: Double) async throws(APIError) -> JSONValue {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<RPCOutcome, Never>) in
            send(method, seconds, params) { continuation.resume(returning: $0) }
        }
        switch outcome {
        case .completed(let result): return result
        case .failed(let error): throw AgentRefusal.error(error)
        case .timedOut: throw AgentRefusal.silent
        case .ended: throw AgentRefusal.unavailable(machineName)
        }
    }
}
