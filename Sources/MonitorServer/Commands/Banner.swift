internal import Devices
internal import Host
internal import Listener
internal import Settings

/// What a person needs to continue after the start, on standard output.
struct Banner {
    private let addresses: [BoundAddress]
    /// `nil` if the server listens on unix sockets only.
    private let url: String?
    private let control: ControlCommand
    /// Whether journald keeps the output.
    private let isJournaled: Bool

    init(_ configuration: Configuration, _ addresses: [BoundAddress], isJournaled: Bool) {
        (self.addresses, self.isJournaled) = (addresses, isJournaled)
        url = addresses.lazy.compactMap(\.reachableURL).first
        control = ControlCommand(
            url: url,
            dataDirectory: configuration.isDefaultDirectory ? nil : configuration.dataDirectory
        )
    }

    /// Call when the database is ready, or does not become so.
    func write(devices: DeviceService) async {
        StandardOutput.write(
            """
            Claude Code Monitor \(ServerVersion.text) is listening on \(addresses.map(\.url).joined(separator: ", "))
            \(await opening(devices))

            """
        )
    }

    /// The link with which the first browser becomes the owner's, or the command that makes links.
    private func opening(_ devices: DeviceService) async -> String {
        if let url, mayPrintSecret, let pairing = try? await devices.firstPairing() {
            return """
                Open the web app: \(url)/pair#\(pairing.token)
                The link can be used once and expires in \(DeviceService.firstPairingSeconds / 60) minutes. The \
                browser that opens it may administer the server.
                """
        }
        return "To open the web app, make a link: \(control.text) device pair --browser"
    }

    /// Only programs of this machine reach the server, and the output is read by a person and not kept by journald.
    private var mayPrintSecret: Bool {
        addresses.allSatisfy(\.isLocal) && !isJournaled
    }
}

/// How a person on this machine runs the command line tool for this server.
private struct ControlCommand {
    let text: String

    init(url: String?, dataDirectory: String?) {
        let program = InstalledFiles.sibling("monitorctl") ?? "monitorctl"
        let isDefault = url == nil || url == "http://127.0.0.1:8766"
        let variables = [
            isDefault ? nil : url.map { "MONITOR_URL=\($0)" },
            dataDirectory.map { "MONITOR_DATA_DIR=\(ShellWord($0))" },
        ]
        text = (variables.compactMap(\.self) + ["\(ShellWord(program))"]).joined(separator: " ")
    }
}

/// A word, quoted for a shell.
private struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let plain = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz/._-+:@%,")
        let quoted = text.map { $0 == "'" ? "'\\''" : String($0) }.joined()
        description = !text.isEmpty && text.allSatisfy(plain.contains) ? text : "'\(quoted)'"
    }
}

extension BoundAddress {
    /// A URL for a person on this machine, or `nil` for a unix socket. A server that listens on all addresses gives
    /// one of them.
    fileprivate var reachableURL: String? {
        guard case .tcp(let host, let port) = address else { return nil }
        let scheme = isSecure ? "https" : "http"
        switch host {
        case "0.0.0.0": return "\(scheme)://127.0.0.1:\(port)"
        case "::": return "\(scheme)://[::1]:\(port)"
        default: return url
        }
    }

    fileprivate var isLocal: Bool {
        guard case .tcp(let host, _) = address else { return true }
        return host.hasPrefix("127.") || host == "::1" || host == "localhost"
    }
}
