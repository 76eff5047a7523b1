internal import Glibc

/// The processors of the machine.
public enum Processors {
    /// Number of processors online, at least 1. The process may be confined to fewer.
    public static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
