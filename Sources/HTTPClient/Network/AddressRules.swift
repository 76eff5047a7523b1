package import HTTPModel

/// Which addresses a client may connect to. It checks the address itself to which it connects, after the name is
/// resolved, so that a name with changing addresses does not get around the rules.
package enum AddressRules: Sendable, Equatable {
    /// Any address. For servers that the operator names in the configuration.
    case any
    /// Public addresses by TLS, and those of the networks also without.
    case `public`(and: IPNetworks)

    func allows(_ address: SocketAddress, secure: Bool) -> Bool {
        switch self {
        case .any: true
        case .public(let networks):
            secure && address.isPublic || IPAddress(networkOrder: address.numericBytes).map(networks.contains) == true
        }
    }
}
