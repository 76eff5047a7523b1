internal import Glibc
internal import Workers

/// One process, by a descriptor where the system has them, so that a signal cannot reach another process that got its
/// pid.
final class ProcessHandle: Sendable {
    enum Status: Equatable, Sendable {
        case running
        case ended(code: Int32?, signal: Int32?)
    }

    enum Signal {
        case terminate
        case kill

        fileprivate var number: Int32 { self == .kill ? SIGKILL : SIGTERM }
    }

    let identity: ProcessIdentity
    /// Becomes readable when the process ends. nil: its end must be asked for.
    let descriptor: Descriptor?

    /// nil: the process does not run any more.
    init?(_ identity: ProcessIdentity) {
        self.identity = identity
        let number = GNUFunctions.openProcess(identity.pid)
        descriptor = number >= 0 ? Descriptor(owning: number) : nil
        // Checked after opening: from here on the descriptor means this process.
        guard ProcessTable.entry(identity.pid)?.identity == identity else { return nil }
    }

    /// Returns false if it has ended.
    @discardableResult
    func send(_ signal: Signal) -> Bool {
        if let descriptor, let result = GNUFunctions.send(signal.number, toProcess: descriptor.number) {
            return result == 0
        }
        return ProcessTable.isRunning(identity) && kill(identity.pid, signal.number) == 0
    }

    /// Takes the exit status of a child. Of another process it is not known.
    func status() -> Status {
        var raw: Int32 = 0
        let result = retryingOnInterrupt { unsafe Int(waitpid(identity.pid, &raw, WNOHANG)) }
        if result == Int(identity.pid) {
            let signal = raw & 0x7f
            return signal == 0 ? .ended(code: raw >> 8 & 0xff, signal: nil) : .ended(code: nil, signal: signal)
        }
        if result == 0 { return .running }
        return ProcessTable.isRunning(identity) ? .running : .ended(code: nil, signal: nil)
    }
}
