internal import Glibc

/// The limit of connections, and the answer to a connection beyond it.
enum ConnectionLimit {
    /// Returns `wanted`, or less if the process may not open that many descriptors. Some descriptors are reserved,
    /// because libdispatch, which runs Swift's tasks, traps when none is left.
    static func connections(wanted: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let descriptors = Int(clamping: limit.rlim_cur)
        return min(wanted, max(1, descriptors - max(64, min(1024, descriptors / 8))))
    }

    /// Takes ownership of the descriptor and closes it. A client of plain HTTP gets a 503 if the kernel accepts it at
    /// once.
    static func turnAway(_ descriptor: Int32, speaksPlain: Bool) {
        if speaksPlain {
            let head = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n"
            let bytes = Array((head + "content-length: 0\r\nconnection: close\r\n\r\n").utf8)
            _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        close(descriptor)
    }
}
