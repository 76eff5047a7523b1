internal import MachinePolicy

/// The configuration file of the hooks: lines `key=value`, data that is never executed. The agent takes the server from
/// there alone, because any folder can set a session's environment.
struct HookConfiguration: Sendable, Equatable {
    var url = ""
    var key = ""
    var certificates: String?
    var machine: String?

    enum Fault: Error, Equatable, CustomStringConvertible {
        case absent(String)
        case unreadable(String, String)
        case incomplete(String)

        var description: String {
            switch self {
            case .absent(let path): "there is no \(path); install the hooks first: the web app shows how"
            case .unreadable(let path, let reason): "\(path): \(reason)"
            case .incomplete(let path): "\(path) names no server and key"
            }
        }
    }

    static func read(_ path: String) throws(Fault) -> HookConfiguration {
        switch SmallFile.read(path, atMost: 64 << 10) {
        case .absent: throw .absent(path)
        case .unreadable(let reason): throw .unreadable(path, reason)
        case .text(let bytes, _, let mode):
            // It names the server that gives this machine commands.
            guard mode & 0o022 == 0 else { throw .unreadable(path, "it can be written by others; chmod go-w") }
            let configuration = HookConfiguration(bytes)
            guard !configuration.url.isEmpty, !configuration.key.isEmpty else { throw .incomplete(path) }
            return configuration
        }
    }

    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            var value = line[(sign + 1)...]
            if value.last == UInt8(ascii: "\r") { value.removeLast() }
            guard let value = String(validating: value, as: UTF8.self),
                value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
            else { continue }
            switch String(decoding: line[..<sign], as: UTF8.self) {
            case "url": url = value
            case "key": key = value
            case "ca_file": certificates = value.isEmpty ? nil : value
            case "machine_id": machine = value.isEmpty ? nil : value
            default: break
            }
        }
        while url.hasSuffix("/") { url.removeLast() }
        if url.hasSuffix("/api/events") { url.removeLast("/api/events".utf8.count) }
    }
}
