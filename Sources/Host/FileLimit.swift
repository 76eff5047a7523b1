internal import Glibc

package enum FileLimit {
    /// libwebsockets sizes its tables by the limit, so it is raised only to this value.
    private static let wanted: rlim_t = 65536

    /// Sets the soft limit of open files, up to the hard limit. A higher soft limit is lowered. Returns the effective
    /// limit.
    package static func set() -> UInt {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        let target = min(limit.rlim_max, wanted)
        guard limit.rlim_cur != target else { return UInt(limit.rlim_cur) }
        limit.rlim_cur = target
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return UInt(target)
    }
}
