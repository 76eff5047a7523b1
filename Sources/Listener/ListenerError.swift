/// Why a loop could not start. Safe to print.
public enum ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A retry helps once the other program has ended.
    case addressInUse(ListenAddress)
    /// The name is unknown, the address does not belong to this machine, or binding is not permitted.
    case cannotBind(ListenAddress, errno: Int32)
    /// The path exists and is not a socket.
    case notASocket(path: String)
    /// Certificate or key cannot be read, or they do not match.
    case badCertificate
    /// The library could not create its context: memory or descriptors are exhausted, or its libev plugin is missing.
    case contextFailed
    case threadFailed(errno: Int32)
    /// `start` was called twice, or after `stop`.
    case alreadyStarted
    case noAddress
    case badConfiguration(String)

    public var isRetriable: Bool {
        switch self {
        case .addressInUse, .contextFailed, .threadFailed: true
        default: false
        }
    }

    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address) is in use by another program"
        case .cannotBind(let address, let code): "cannot listen on \(address) (errno \(code))"
        case .notASocket(let path): "\(path) exists and is not a socket"
        case .badCertificate: "the TLS certificate or its key cannot be used"
        case .contextFailed: "libwebsockets could not make a context; is its libev plugin installed?"
        case .threadFailed(let code): "no thread for the network loop (errno \(code))"
        case .alreadyStarted: "the network loop was started before"
        case .noAddress: "no address to listen on"
        case .badConfiguration(let what): what
        }
    }
}
