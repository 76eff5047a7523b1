internal import EventModel

/// The requests that each wait for a message to one session.
struct WaiterTable<Waiter: Sendable>: Sendable {
    private struct Expectation {
        var machine: MachineID
        var hasSocket: Bool
    }

    private static var maximumGenerations: Int { 10_000 }

    private var waiting: [String: [UInt64: Waiter]] = [:]
    /// Counts the messages to each session that requests ask for.
    private var generations: [String: UInt64] = [:]
    private var numbers: UInt64 = 0
    /// The requests that wait for the first event of each of these sessions.
    private var expectations: [String: [UInt64: Expectation]] = [:]

    /// The sessions for which a request waits.
    var sessions: [String] { Array(waiting.keys) }

    /// The sessions whose first event a request waits for.
    var expected: [String] { Array(expectations.keys) }

    var isExpecting: Bool { !expectations.isEmpty }

    /// Must be followed by one `stopExpecting` with the returned number.
    mutating func expect(_ session: String, on machine: MachineID, hasSocket: Bool) -> UInt64 {
        numbers += 1
        let number = numbers
        expectations[session, default: [:]][number] = Expectation(machine: machine, hasSocket: hasSocket)
        return number
    }

    mutating func stopExpecting(_ session: String, _ number: UInt64) {
        expectations[session]?[number] = nil
        if expectations[session]?.isEmpty ?? false { expectations[session] = nil }
    }

    /// Whether the machine has a socket for the session, as requests state that wait for the session's first event.
    /// `nil` if none waits.
    func hasSocket(_ session: String, on machine: MachineID) -> Bool? {
        let found = expectations[session]?.values.filter { $0.machine == machine }.map(\.hasSocket) ?? []
        return found.isEmpty ? nil : found.contains(true)
    }

    /// Must be read before a message is looked for.
    func generation(of session: String) -> UInt64 { generations[session] ?? 0 }

    /// - Returns: a number for `stopWaiting`, or `nil` if a message has arrived since the generation was read. Then the
    ///   request does not wait.
    mutating func wait(for session: String, since generation: UInt64, _ waiter: Waiter) -> UInt64? {
        guard self.generation(of: session) == generation else { return nil }
        numbers += 1
        waiting[session, default: [:]][numbers] = waiter
        return numbers
    }

    mutating func stopWaiting(_ number: UInt64, for session: String) {
        waiting[session]?[number] = nil
        if waiting[session]?.isEmpty ?? false { waiting[session] = nil }
    }

    /// A message to the session has arrived.
    ///
    /// - Returns: those to wake.
    mutating func notify(_ session: String) -> [Waiter] {
        generations[session, default: 0] += 1
        // After a short time, nobody compares the numbers of sessions for which no request waits.
        if generations.count > Self.maximumGenerations { generations = [session: generation(of: session)] }
        return (waiting.removeValue(forKey: session) ?? [:]).map(\.value)
    }

    /// These sessions have had an event.
    ///
    /// - Returns: the requests to wake that waited for the first one.
    mutating func began(_ sessions: [String]) -> [Waiter] {
        sessions.filter { expectations[$0] != nil }.flatMap { notify($0) }
    }
}
