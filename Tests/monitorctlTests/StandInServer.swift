import Foundation
import Synchronization

/// HTTP over a real socket, one request per connection, each on a thread of its own.
final class StandInServer: Sendable {
    struct Request: Sendable {
        var method: String
        var path: String
        var query: [String: String]
        var headers: [String: String]
        var body: Data
    }

    /// One accepted connection. Writes return false once the client has gone.
    struct Exchange: Sendable {
        let socket: Int32

        @discardableResult
        func send(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        func reply(_ status: Int, _ body: String, headers: String = "") {
            send(
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\(headers)\r\n\(body)"
            )
        }

        func beginStream() {
            send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: hello\n\n")
        }
    }

    let port: UInt16
    private let listener: Int32

    var url: String { "http://127.0.0.1:\(port)" }

    init(_ handle: @escaping @Sendable (Request, Exchange) -> Void) throws {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
        self.listener = listener
        Thread.detachNewThread {
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                Thread.detachNewThread {
                    if let request = StandInServer.read(socket) { handle(request, Exchange(socket: socket)) }
                    shutdown(socket, Int32(SHUT_WR))
                    close(socket)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func read(_ socket: Int32) -> Request? {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let end = bytes.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                let headers = Dictionary(
                    head.dropFirst().compactMap { line -> (String, String)? in
                        guard let colon = line.firstIndex(of: ":") else { return nil }
                        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                        return (line[..<colon].lowercased(), value)
                    },
                    uniquingKeysWith: { $1 }
                )
                let body = bytes[end.upperBound...]
                if body.count >= Int(headers["content-length"] ?? "0") ?? 0 {
                    return request(head[0], headers, Data(body))
                }
            }
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    private static func request(_ line: String, _ headers: [String: String], _ body: Data) -> Request? {
        let words = line.split(separator: " ")
        guard words.count == 3, let parts = URLComponents(string: String(words[1])) else { return nil }
        let query = (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Request(
            method: String(words[0]),
            path: parts.percentEncodedPath,
            query: Dictionary(query, uniquingKeysWith: { $1 }),
            headers: headers,
            body: body
        )
    }
}
