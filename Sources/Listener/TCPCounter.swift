internal import Glibc

/// A count that the kernel keeps of a TCP connection: struct tcp_info in linux/tcp.h, since Linux 4.1.
enum TCPCounter: Int {
    /// `tcpi_bytes_acked`: of what was sent, what the peer's kernel has taken.
    case acknowledged = 120
    /// `tcpi_bytes_received`.
    case received = 128

    /// `nil` for what is no TCP connection.
    func read(_ descriptor: Int32) -> UInt64? {
        unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { info in
            var size = socklen_t(info.count)
            guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size) == 0,
                Int(size) >= rawValue + 8
            else { return nil }
            return unsafe info.load(fromByteOffset: rawValue, as: UInt64.self)
        }
    }
}
