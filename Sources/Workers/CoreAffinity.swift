internal import CAffinity
internal import Synchronization

/// The cores that threads run on (sched(7)). A thread inherits them from the thread that starts it.
public enum CoreAffinity {
    /// Whether any thread was ever kept to a core.
    private static let isUsed = Atomic<Bool>(false)

    /// The cores of the process's main thread, in rising order; empty if the system does not tell.
    public static var ofProcess: [Int] {
        let limit = 1024
        let cores = unsafe [CInt](unsafeUninitializedCapacity: limit) { buffer, count in
            count = unsafe max(0, Int(affinity_of_process(buffer.baseAddress, CInt(limit))))
        }
        return cores.map(Int.init)
    }

    /// Keeps the calling thread on one core. Throws if the process may not use it.
    public static func keep(to core: Int) throws(Refused) {
        isUsed.store(true, ordering: .relaxed)
        try set([CInt(clamping: core)])
    }

    /// Lets the calling thread use all cores of the process again. Makes no system call if no thread was ever kept to a
    /// core.
    public static func release() {
        guard isUsed.load(ordering: .relaxed) else { return }
        // A failure leaves the thread where it was, which costs speed only.
        try? set(ofProcess.map(CInt.init))
    }

    private static func set(_ cores: [CInt]) throws(Refused) {
        let code = unsafe affinity_keep_to(cores, CInt(cores.count))
        guard code == 0 else { throw Refused(errorNumber: code) }
    }

    /// A retry does not help.
    public struct Refused: Error {
        public let errorNumber: Int32
    }
}
