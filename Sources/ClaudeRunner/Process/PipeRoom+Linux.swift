internal import Glibc

/// The room in a pipe: pipe(7).
enum PipeRoom {
    /// The macros are GNU extensions that Swift does not see.
    private static let setSize: Int32 = 1031
    private static let getSize: Int32 = 1032
    private static let unreadBytes: UInt = 0x541B
    private static let page = 4096

    /// Asks for 1 MiB. Without the right to it, the pipe keeps its size.
    static func enlarge(_ pipe: Descriptor) {
        _ = fcntl(pipe.number, setSize, 1 << 20)
    }

    /// Whether a line can be written at once and as a whole.
    static func fits(_ count: Int, _ pipe: Descriptor) -> Bool {
        let capacity = Int(fcntl(pipe.number, getSize))
        var unread: Int32 = 0
        guard capacity > 0, unsafe ioctl(pipe.number, unreadBytes, &unread) == 0 else { return false }
        return fits(count, capacity: capacity, unread: Int(unread))
    }

    /// The kernel keeps a pipe's bytes in pages. What does not fit into the last page begins another one, so any two
    /// pages in a row, but for the first, hold more than one page's bytes.
    static func fits(_ count: Int, capacity: Int, unread: Int) -> Bool {
        let used = unread == 0 ? 0 : 2 * unread / page + 2
        return (count + page - 1) / page + 1 <= capacity / page - used
    }
}
