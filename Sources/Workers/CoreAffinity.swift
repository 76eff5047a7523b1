internal import CAffinity
internal import Synchronization

/// Which cores threads run on (sched(7)). Whatever a thread starts, runs where that thread may.
public enum CoreAffinity {
    /// Whether any thread was ever kept to a core.
    private static let isUsed = Atomic<Bool>(false)

    /// The cores that this process may use, in rising order, as its main thread may; empty where the system does not
    /// tell.
    public static var ofProcess: [Int] {
        let limit = 1024
        let cores = unsafe [CInt](unsafeUninitializedCapacity: limit) { buffer, count in
            count = unsafe max(0, Int(affinity_of_process(buffer.baseAddress, CInt(limit))))
        }
        return cores.map(Int.init)
    }

    /// Keeps the calling thread on one core. Throws where the process may not use it.
    public static func keep(to core: Int) throws(Refused) {
        isUsed.store(true, ordering: .relaxed)
        try set([CInt(clamping: core)])
    }

    /// The calling thread may use all cores of the process again, whoever started it. No system call where no thread
    /// was ever kept to a core.
    public static func release() {
        guard isUsed.load(ordering: .relaxed) else { return }
        // What fails here leaves the thread where it was: slower, not wrong.
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
