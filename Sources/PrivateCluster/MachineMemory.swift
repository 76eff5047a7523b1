internal import Glibc

enum MachineMemory {
    /// Bytes available to this process: the machine's memory, or its control group's limit if that is smaller.
    static func available() -> UInt64 {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        let physical = pages > 0 && pageSize > 0 ? UInt64(pages) * UInt64(pageSize) : 1 << 30
        let limit = try? FileSystem.readTail("/sys/fs/cgroup/memory.max", limit: 32)
        return min(physical, limit.flatMap { UInt64($0.prefix { $0.isNumber }) } ?? physical)
    }
}
