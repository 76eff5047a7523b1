internal import Glibc

/// An IPv4 or IPv6 address with a port, as the bytes of its `sockaddr`.
package struct SocketAddress: Sendable, Equatable, CustomStringConvertible {
    let family: Int32
    let bytes: [UInt8]
    package let description: String

    /// - Parameter address: numeric, without a zone.
    package init?(address: String, port: UInt16) {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if unsafe inet_pton(AF_INET, address, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            self.init(family: AF_INET, bytes: unsafe withUnsafeBytes(of: v4) { unsafe Array($0) }, "\(address):\(port)")
        } else if unsafe inet_pton(AF_INET6, address, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            self.init(
                family: AF_INET6,
                bytes: unsafe withUnsafeBytes(of: v6) { unsafe Array($0) },
                "[\(address)]:\(port)"
            )
        } else {
            return nil
        }
    }

    private init(family: Int32, bytes: [UInt8], _ description: String) {
        self.family = family
        self.bytes = bytes
        self.description = description
    }

    /// The address without the port, in network order: 4 or 16 bytes.
    var numericBytes: [UInt8] {
        // The position of the address in sockaddr_in and sockaddr_in6.
        family == AF_INET ? Array(bytes.dropFirst(4).prefix(4)) : Array(bytes.dropFirst(8).prefix(16))
    }

    /// Calls the system's resolver without caching. Blocks.
    package static func resolve(host: String, port: UInt16) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = SystemSocket.streamKind
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = unsafe list
        while let info = unsafe entry?.pointee {
            if unsafe info.ai_family == AF_INET || info.ai_family == AF_INET6, let start = unsafe info.ai_addr {
                let raw = unsafe UnsafeRawBufferPointer(start: start, count: Int(info.ai_addrlen))
                unsafe addresses.append(
                    SocketAddress(family: info.ai_family, bytes: Array(raw), numericName(raw, port: port))
                )
            }
            unsafe entry = info.ai_next
        }
        return addresses
    }

    private static func numericName(_ raw: UnsafeRawBufferPointer, port: UInt16) -> String {
        var text = [CChar](repeating: 0, count: 64)
        let address = unsafe raw.baseAddress?.assumingMemoryBound(to: sockaddr.self)
        let fault = unsafe getnameinfo(address, socklen_t(raw.count), &text, 64, nil, 0, NI_NUMERICHOST)
        guard fault == 0 else { return "port \(port)" }
        let characters = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return "\(String(decoding: characters, as: UTF8.self)) port \(port)"
    }
}
