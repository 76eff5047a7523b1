import COpenSSL
import Foundation

/// The mock's thread: accepts, reads, answers, follows commands.
final class MockLoop {
    private let mock: MockAPNs
    private let tls: MockTLS
    private let listener: Int32
    private let wake: Int32
    private var connections: [MockConnection] = []
    private var accepted = 0

    init(_ mock: MockAPNs, _ tls: MockTLS, _ listener: Int32, _ wake: Int32) {
        self.mock = mock
        self.tls = tls
        self.listener = listener
        self.wake = wake
        for descriptor in [listener, wake] { setNonBlocking(descriptor) }
    }

    func run() {
        defer {
            close(listener)
            connections = []
        }
        while true {
            var entries = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            for connection in connections {
                let events = (connection.isStalled ? 0 : POLLIN) | (connection.wantsWrite ? POLLOUT : 0)
                entries.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
            }
            poll(&entries, UInt(entries.count), 50)
            if entries[1].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = read(wake, &bytes, 64)
            }
            for (index, connection) in connections.enumerated() where entries[index + 2].revents != 0 {
                connection.perform()
            }
            accept()
            for command in mock.takeCommands() {
                if case .stop = command { return }
                for connection in connections { connection.follow(command) }
            }
            let closed = connections.count { $0.isClosed }
            if closed > 0 {
                connections.removeAll(where: \.isClosed)
                mock.note { $0.closedConnections += closed }
            }
            mock.answerWaiters()
        }
    }

    private func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            let number = accepted
            accepted += 1
            mock.note { $0.connections += 1 }
            if mock.script.dropsConnection(number) {
                close(descriptor)
                continue
            }
            setNonBlocking(descriptor)
            if let connection = MockConnection(mock, tls, descriptor, number) { connections.append(connection) }
        }
    }

    private func setNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
}
