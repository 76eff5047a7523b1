import Foundation
import Synchronization

/// Answers each connection on loopback with the bytes that a function gives for the request's head and body. It keeps
/// the connection open until the client closes it, unless the bytes end with `hangUp`.
final class ScriptedServer: Sendable {
    static let hangUp = "\u{0}"
    let port: UInt16
    /// Connections that the client has closed.
    private let closed = Mutex(0)
    private let closing = DispatchSemaphore(value: 0)

    init(_ answer: @escaping @Sendable (String) -> String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> UInt16? in
                guard bind(listener, generic, size) == 0, listen(listener, 64) == 0,
                    getsockname(listener, generic, &size) == 0
                else { return nil }
                return pointer.pointee.sin_port.bigEndian
            }
        }
        guard let port else { throw POSIXError(.EADDRINUSE) }
        self.port = port
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [self] in serve(connection, answer) }
            }
        }
    }

    /// Waits until the client has closed a connection.
    func waitForClose() -> Bool { closing.wait(timeout: .now() + 20) == .success }

    private func serve(_ connection: Int32, _ answer: (String) -> String) {
        defer {
            close(connection)
            closing.signal()
        }
        var (request, buffer) = ("", [UInt8](repeating: 0, count: 4096))
        while !ScriptedServer.isWhole(request) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            request += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        let text = answer(request)
        var bytes = Array(text.utf8)
        let hangsUp = bytes.last == 0
        if hangsUp { bytes.removeLast() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
        if !hangsUp { while recv(connection, &buffer, buffer.count, 0) > 0 {} }
    }

    private static func isWhole(_ request: String) -> Bool {
        guard let end = request.range(of: "\r\n\r\n") else { return false }
        guard let field = request.range(of: "Content-Length: ") else { return true }
        let length = Int(request[field.upperBound...].prefix { $0.isNumber }) ?? 0
        return request[end.upperBound...].utf8.count >= length
    }
}
