internal import Glibc

/// Counters that the kernel keeps for a TCP connection: struct tcp_info in linux/tcp.h, since Linux 4.1.
enum TCPCounter {
    /// Number of sent bytes that the peer's kernel has acknowledged (`tcpi_bytes_acked`); `nil` if the descriptor is
    /// not a TCP connection.
    static func acknowledged(_ descriptor: Int32) -> UInt64? {
        let offset = 120
        return unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { info in
            var size = socklen_t(info.count)
            guard unsafe getsockopt(descriptor, SOL_TCP, TCP_INFO, info.baseAddress, &size) == 0,
                Int(size) >= offset + 8
            else { return nil }
            return unsafe info.load(fromByteOffset: offset, as: UInt64.self)
        }
    }
}
