import Foundation
import Synchronization

/// Stands between a client and the test cluster on a unix socket. Once armed, it lets the next COMMIT, or another
/// command, through to the server, waits for the server to confirm it, and cuts the connection instead of passing that
/// on.
package final class CuttingProxy: Sendable {
    private struct State {
        /// Tag of the command that is waited for.
        var armedFor: String?
        var cuts = 0
        var descriptors: [Int32] = []
    }

    private let directory: String
    private let serverSocket: String
    private let listener: Int32
    private let state = Mutex(State())

    package init(serverDirectory: String) throws {
        serverSocket = serverDirectory + "/.s.PGSQL.5432"
        directory = "/tmp/cut-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let path = directory + "/.s.PGSQL.5432"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = withUnixAddress(of: path) { bind(listener, $0, $1) }
        guard listener >= 0, bound == 0, listen(listener, 16) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        Thread.detachNewThread { [self] in accept() }
    }

    /// The database's URL with the proxy in place of the server.
    package func conninfo(for url: String) -> String {
        guard var parts = URLComponents(string: url) else { return url }
        parts.queryItems = [URLQueryItem(name: "host", value: directory)]
        return parts.string ?? url
    }

    package func arm(for tag: String = "COMMIT") { state.withLock { $0.armedFor = tag } }
    package var cuts: Int { state.withLock { $0.cuts } }

    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        for descriptor in state.withLock({ $0.descriptors }) { shutdown(descriptor, Int32(SHUT_RDWR)) }
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            guard withUnixAddress(of: serverSocket, { connect(server, $0, $1) }) == 0 else {
                close(client)
                continue
            }
            state.withLock { $0.descriptors += [client, server] }
            Thread.detachNewThread { self.pump(from: client, to: server) { _ in false } }
            Thread.detachNewThread { self.pump(from: server, to: client, cutsAt: self.confirmsCommand) }
        }
    }

    /// Looks for the CommandComplete message of the command.
    private func confirmsCommand(_ bytes: ArraySlice<UInt8>) -> Bool {
        state.withLock { state in
            guard let tag = state.armedFor, Data(bytes).range(of: Data("\(tag)\0".utf8)) != nil else { return false }
            state.armedFor = nil
            state.cuts += 1
            return true
        }
    }

    private func pump(from source: Int32, to target: Int32, cutsAt: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, !cutsAt(buffer[..<count]) else { break }
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBytes { send(target, $0.baseAddress! + sent, count - sent, 0x4000) }
                guard written > 0 else { break }
                sent += written
            }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }
}

package func withUnixAddress(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}
