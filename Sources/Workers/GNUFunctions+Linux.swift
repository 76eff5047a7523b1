package import Glibc

/// Functions of glibc whose declarations Swift's Glibc module does not contain, by their names. They are missing in an
/// older glibc.
package enum GNUFunctions {
    /// Makes the child start in the directory of a descriptor. Since glibc 2.29.
    package static func addDirectory(
        _ descriptor: Int32,
        to actions: UnsafeMutablePointer<posix_spawn_file_actions_t>
    ) -> Int32 {
        unsafe change("posix_spawn_file_actions_addfchdir_np", actions, descriptor) ?? ENOSYS
    }

    /// Closes the child's descriptors from this number on. Since glibc 2.34; before, children inherit what libraries
    /// of this process have opened without O_CLOEXEC.
    package static func addCloseFrom(
        _ descriptor: Int32,
        to actions: UnsafeMutablePointer<posix_spawn_file_actions_t>
    ) -> Int32 {
        unsafe change("posix_spawn_file_actions_addclosefrom_np", actions, descriptor) ?? 0
    }

    /// pidfd_open(2), since glibc 2.36. Negative without it.
    package static func openProcess(_ pid: pid_t) -> Int32 {
        typealias Function = @convention(c) (pid_t, UInt32) -> Int32
        guard let symbol = unsafe dlsym(nil, "pidfd_open") else { return -1 }
        return unsafe unsafeBitCast(symbol, to: Function.self)(pid, 0)
    }

    /// pidfd_send_signal(2), since glibc 2.36. nil without it.
    package static func send(_ signal: Int32, toProcess descriptor: Int32) -> Int32? {
        typealias Function = @convention(c) (Int32, Int32, UnsafeMutableRawPointer?, UInt32) -> Int32
        guard let symbol = unsafe dlsym(nil, "pidfd_send_signal") else { return nil }
        return unsafe unsafeBitCast(symbol, to: Function.self)(descriptor, signal, nil, 0)
    }

    private static func change(
        _ name: String,
        _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>,
        _ descriptor: Int32
    ) -> Int32? {
        typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let symbol = unsafe dlsym(nil, name) else { return nil }
        return unsafe unsafeBitCast(symbol, to: Function.self)(actions, descriptor)
    }
}
