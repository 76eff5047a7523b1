internal import Glibc

/// How many connections there may be at once, and what becomes of one too many.
enum ConnectionLimit {
    /// `wanted`, and less where the process may not open so many descriptors: libdispatch, which runs Swift's tasks,
    /// traps when it finds none left, so some are kept back.
    static func connections(wanted: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let descriptors = Int(clamping: limit.rlim_cur)
        return min(wanted, max(1, descriptors - max(64, min(1024, descriptors / 8))))
    }

    /// Takes the descriptor over. One that speaks plain HTTP is told so, as far as the kernel takes it at once.
    static func turnAway(_ descriptor: Int32, speaksPlain: Bool) {
        if speaksPlain {
            let head = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n"
            let bytes = Array((head + "content-length: 0\r\nconnection: close\r\n\r\n").utf8)
            _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        close(descriptor)
    }
}
