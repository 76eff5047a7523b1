internal import Glibc
internal import MachinePolicy

enum AgentVersion {
    static let text = "0.1.0"
}

enum MachineFacts {
    /// Changes with each start of the machine.
    static var bootID: String {
        let text = SmallFile.text("/proc/sys/kernel/random/boot_id", atMost: 128) ?? ""
        return String(text.prefix { !$0.isWhitespace })
    }

    /// Such as `linux-x86_64`.
    static var platform: String {
        #if arch(x86_64)
            let processor = "x86_64"
        #elseif arch(arm64)
            let processor = "aarch64"
        #else
            let processor = "unknown"
        #endif
        #if os(Linux)
            return "linux-" + processor
        #else
            return "darwin-" + processor
        #endif
    }

    static var pid: Int32 { getpid() }

    /// The process that has started this one, unless that has ended.
    static var parent: Int32 { getppid() }

    /// This process's environment, as `NAME=value`.
    static func environment() -> [String] {
        var list: [String] = []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            unsafe list.append(String(cString: text))
            unsafe entry += 1
        }
        return list
    }

    static var isTerminal: Bool { isatty(0) == 1 && isatty(1) == 1 }
}
