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

    /// Bytes of a message beside its parameters, at most.
    private static let envelopeBytes = 1024

    package let machine: MachineID
    package let machineName: String
    package let greeting: AgentGreeting
    package let since: Timestamp
    let models = ModelMemory()
    private let allowed: Mutex<MachineAgent.Permissions>
    private let found: Mutex<[MachineAgent.Client]>
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
        found = Mutex(greeting.clients)
    }

    /// What the machine's file allows, as the agent last said it.
    package var may: MachineAgent.Permissions {
        get { allowed.withLock { $0 } }
        set { allowed.withLock { $0 = newValue } }
    }

    /// The programs Claude Code that the agent last named.
    package var clients: [MachineAgent.Client] {
        get { found.withLock { $0 } }
        set { found.withLock { $0 = newValue } }
    }

    /// Has the agent carry out a command. If the command's outcome is unknown, the error says so; the same command,
    /// with the same id, may then be repeated.
    package func call(_ command: AgentCommand, seconds: Double) async throws(APIError) -> JSONValue {
        try await call(command.method, command.params(seconds: seconds), seconds: seconds)
    }

    /// Calls a method that is no command of a person.
    ///
    /// An agent ends its connection when a message is too long, and with it the work of others. So no such message is
    /// sent.
    @discardableResult
    func call(_ method: String, _ params: JSONValue, seconds: Double) async throws(APIError) -> JSONValue {
        guard params.encodedSize <= AgentHost.maximumMessage - AgentLink.envelopeBytes else {
            throw AgentRefusal.tooLong
        }
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

extension JSONValue {
    /// Bytes of its JSON.
    fileprivate var encodedSize: Int {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes.count
    }
}
