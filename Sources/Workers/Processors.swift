internal import Glibc

/// The processors of the machine.
package enum Processors {
    /// Number of processors online, at least 1. The process may be confined to fewer.
    package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
