internal import Glibc

enum FileLimit {
    /// libwebsockets sizes its tables by the limit, so it is not raised without bound.
    private static let wanted: rlim_t = 65536

    /// Sets the soft limit of open files, within the hard one; a higher one is lowered. Returns what holds now.
    static func set() -> UInt {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        let target = min(limit.rlim_max, wanted)
        guard limit.rlim_cur != target else { return UInt(limit.rlim_cur) }
        limit.rlim_cur = target
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return UInt(target)
    }
}
