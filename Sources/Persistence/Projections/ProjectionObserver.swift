package import Sessions

/// Receives the rows that this server's projections have written, and the notifications that other servers send
/// through the database. The methods must not block.
package protocol ProjectionObserver: Sendable {
    /// The rows of these prompts have changed. Called on the projector's thread after each commit. A rebuild does not
    /// call it.
    func promptsChanged(_ prompts: [Prompt])
    /// Another server called `PostgresStore.tellOthers(of:)` with this word. A call may be lost.
    func changedElsewhere(_ what: String)
    /// A server of this database has erased the events of these sessions; `nil` if the sessions are not known. Empty if
    /// such a call may have been lost: copies of all events must then be dropped. Called on the listener's thread.
    func erased(_ sessions: Set<String>?)
}

extension ProjectionObserver {
    package func promptsChanged(_ prompts: [Prompt]) {}
    package func changedElsewhere(_ what: String) {}
    package func erased(_ sessions: Set<String>?) {}
}
