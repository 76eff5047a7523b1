internal import Glibc

@main
enum Main {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        exit(await Program(environment: ProcessEnvironment.read()).run(words).rawValue)
    }
}

/// The exit statuses of sysexits.h.
enum ExitStatus: Int32 {
    case success = 0
    case failure = 1
    case usage = 64
    case configuration = 78
}

enum ProcessEnvironment {
    static func read() -> [String: String] {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return variables
    }
}
