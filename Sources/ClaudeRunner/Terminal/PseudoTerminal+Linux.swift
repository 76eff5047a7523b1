internal import Glibc

/// The master's end of a pseudo-terminal: pty(7).
final class PseudoTerminal: Sendable {
    let master: Descriptor
    /// The path of the terminal itself, which the client opens.
    let path: String

    private static let unlock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430
    private static let setSize: UInt = 0x5414

    init(size: TerminalSize) throws(SystemFault) {
        // The server never gets this terminal as its own.
        master = try Descriptor(opening: "/dev/ptmx", flags: O_RDWR | O_NOCTTY | O_NONBLOCK)
        var number: UInt32 = 0
        var locks: Int32 = 0
        guard unsafe ioctl(master.number, PseudoTerminal.unlock, &locks) == 0,
            unsafe ioctl(master.number, PseudoTerminal.getNumber, &number) == 0
        else { throw SystemFault("open", "/dev/ptmx") }
        path = "/dev/pts/\(number)"
        resize(to: size)
    }

    /// The foreground processes get SIGWINCH if the size has changed.
    func resize(to size: TerminalSize) {
        var window = winsize()
        window.ws_col = size.columns
        window.ws_row = size.rows
        _ = unsafe ioctl(master.number, PseudoTerminal.setSize, &window)
    }
}
