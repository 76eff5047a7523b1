internal import MachinePolicy
internal import WebSocketClient

/// Where to connect, and how long to wait after a connection has ended. Pure.
enum LinkPlan {
    enum Fault: Error, CustomStringConvertible {
        case configuration(HookConfiguration.Fault)
        case address(WebSocketAddressError)
        case certificates(String)

        var description: String {
            switch self {
            case .configuration(let fault): "\(fault)"
            case .address(let fault): "\(fault)"
            case .certificates(let path): "the certificates of the server, \(path), cannot be read"
            }
        }
    }

    static let path = "/api/agent"

    /// - Parameter certificates: from the command line.
    static func endpoint(
        _ configuration: HookConfiguration,
        _ file: AgentFile,
        certificates: String?
    ) throws(Fault) -> WebSocketEndpoint {
        do throws(WebSocketAddressError) {
            var endpoint = try WebSocketEndpoint(
                configuration.url,
                path: path,
                key: configuration.key,
                allowsPlaintext: file.isUsable && file.allowsPlaintext
            )
            endpoint.certificates = certificates ?? configuration.certificates
            if file.isUsable, let proxy = file.proxy, !endpoint.isLoopback { endpoint.proxy = place(ofProxy: proxy) }
            return endpoint
        } catch {
            throw .address(error)
        }
    }

    private static func place(ofProxy address: String) -> String {
        var place =
            address.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first.map(String.init) ?? ""
        if !place.contains(":") { place += ":3128" }
        return place
    }

    /// How to go on after a connection.
    enum Pause: Equatable {
        /// The growing pause.
        case backOff
        /// Seconds: another try will not help soon.
        case long(Double)
    }

    static func pause(after end: WebSocketEnd) -> Pause {
        switch end {
        // Another agent with this identity has connected. If both went on at once, they would take turns.
        case .closed(code: 4409, _): .long(30)
        case .closed(code: 4403, _): .long(300)
        case .closed(code: 4401, _), .refused(status: 401), .refused(status: 403), .refused(status: 404): .long(60)
        default: .backOff
        }
    }

    /// What the person at the machine can do about it.
    static func words(for end: WebSocketEnd) -> String {
        switch end {
        case .closed(code: 4409, _): "another agent of this machine has connected; is a second one running?"
        case .closed(code: 4403, _):
            "the server knows another agent of this machine; on the server: monitorctl machine reset-agent NAME"
        case .closed(code: 4401, _), .refused(status: 401):
            "the server does not accept this machine's key; install the hooks again"
        case .refused(status: 404): "the server has no /api/agent; it is older than this agent"
        default: String(ShownText.line("\(end)").prefix(300))
        }
    }
}
