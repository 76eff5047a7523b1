internal import API
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
    /// Whether a person reads the output at a terminal, and no file or journal keeps it.
    private let isAtTerminal: Bool

    init(_ configuration: Configuration, _ addresses: [BoundAddress], isAtTerminal: Bool) {
        (self.addresses, self.isAtTerminal) = (addresses, isAtTerminal)
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
        let pairing = try? await devices.renewFirstPairing(isShown: url != nil && mayPrintSecret)
        if let url, let pairing {
            return """
                Open the web app: \(url)/pair#\(pairing.token)
                The link can be used once and expires in \(DeviceService.firstPairingSeconds / 60) minutes. The \
                browser that opens it may administer the server.
                """
        }
        return "To open the web app, make a link: \(control.text) device pair --browser"
    }

    /// Only programs of this machine reach the server, and only the person at the terminal reads the output.
    private var mayPrintSecret: Bool {
        addresses.allSatisfy(\.isLocal) && isAtTerminal
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
