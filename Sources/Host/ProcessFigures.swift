internal import Glibc
package import HTTPModel

/// The resources of the process, under the names of Prometheus' own client libraries, and the disk that it writes to.
/// Values that cannot be read are omitted.
package struct ProcessFigures {
    private let dataDirectory: String

    package init(dataDirectory: String) { self.dataDirectory = dataDirectory }

    package func write(to text: inout PrometheusText) {
        var usage = rusage()
        if unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            text.metric("process_cpu_seconds_total", .counter, "User and system time.")
            text.sample("process_cpu_seconds_total", usage.ru_utime.seconds + usage.ru_stime.seconds)
        }
        if let pages = ProcessFigures.residentPages() {
            text.gauge(
                "process_resident_memory_bytes",
                "Resident memory.",
                Double(pages * Int(sysconf(Int32(_SC_PAGESIZE))))
            )
        }
        if let count = ProcessFigures.openDescriptors() {
            text.gauge("process_open_fds", "Open file descriptors.", Double(count))
        }
        var limit = rlimit()
        if unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            text.gauge("process_max_fds", "How many there may be.", Double(limit.rlim_cur))
        }
        var disk = statvfs()
        if unsafe statvfs(dataDirectory, &disk) == 0 {
            let block = Double(disk.f_frsize)
            text.gauge("monitor_disk_bytes", "Size of the data directory's disk.", Double(disk.f_blocks) * block)
            text.gauge("monitor_disk_free_bytes", "Of it, free for the server.", Double(disk.f_bavail) * block)
        }
    }

    /// proc(5), /proc/pid/statm: the second number.
    private static func residentPages() -> Int? {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let fields = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]) : nil
    }

    /// Excludes the descriptor that the count itself uses.
    private static func openDescriptors() -> Int? {
        guard let stream = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(stream) }
        var entries = 0
        while unsafe readdir(stream) != nil { entries += 1 }
        return max(0, entries - 3)
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
