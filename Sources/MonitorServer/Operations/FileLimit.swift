internal import Glibc

enum FileLimit {
    /// libwebsockets sizes its tables by the limit, so it is not raised without bound.
    private static let wanted: rlim_t = 65536

    /// Raises the soft limit of open files as far as the hard limit allows. Returns what holds now.
    static func raise() -> UInt {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        let target = min(limit.rlim_max, wanted)
        guard limit.rlim_cur != target else { return UInt(limit.rlim_cur) }
        limit.rlim_cur = target
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return UInt(target)
    }
}
