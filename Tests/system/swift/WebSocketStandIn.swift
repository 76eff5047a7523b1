// Foundation has no WebSocket client on Linux. These types have the parts of Apple's that the client of docs/rpc.md
// uses, over a socket of POSIX, and hide those of FoundationNetworking. As with Apple's, a message above 1 MiB ends the
// connection.

import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class URLSession: Sendable {
    static let shared = URLSession()

    func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask { URLSessionWebSocketTask(request) }
}

struct SocketEnded: Error {
    var reason: String
}

final class URLSessionWebSocketTask: @unchecked Sendable {
    enum Message: Sendable {
        case data(Data)
        case string(String)
    }

    enum CloseCode: Int {
        case normalClosure = 1000
    }

    private static let maximumMessage = 1 << 20

    private let request: URLRequest
    /// Reads and writes have a queue each; nothing else uses the descriptor.
    private let reading = DispatchQueue(label: "reading")
    private let writing = DispatchQueue(label: "writing")
    private var descriptor: Int32 = -1

    init(_ request: URLRequest) { self.request = request }

    func resume() {
        // Blocks, which Apple's does not: a send or receive that follows finds the socket open or closed.
        descriptor = reading.sync { (try? open()) ?? -1 }
    }

    func cancel(with code: CloseCode, reason _: Data?) {
        let payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        writing.async { [self] in try? write(frame(0x88, payload)) }
    }

    func send(_ message: Message) async throws {
        let frame =
            switch message {
            case .data(let data): frame(0x82, Array(data))
            case .string(let text): frame(0x81, Array(text.utf8))
            }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            writing.async { [self] in continuation.resume(with: Result { try write(frame) }) }
        }
    }

    func receive() async throws -> Message {
        try await withCheckedThrowingContinuation { continuation in
            reading.async { [self] in continuation.resume(with: Result { try message() }) }
        }
    }

    private func open() throws -> Int32 {
        guard let url = request.url, let port = url.port else { throw SocketEnded(reason: "no address") }
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr(url.host ?? "")
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw SocketEnded(reason: "not connected") }
        descriptor = made
        var head = "GET \(url.path) HTTP/1.1\r\nHost: \(url.host ?? ""):\(port)\r\nUpgrade: websocket\r\n"
        head += "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for (name, value) in request.allHTTPHeaderFields ?? [:] { head += "\(name): \(value)\r\n" }
        try write(Array((head + "\r\n").utf8))
        var answer: [UInt8] = []
        while !answer.suffix(4).elementsEqual([13, 10, 13, 10]) { answer += try read(1) }
        guard String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 101") else {
            throw SocketEnded(reason: "refused")
        }
        return made
    }

    /// The next data message; answers pings in between.
    private func message() throws -> Message {
        while true {
            let head = try read(2)
            var length = Int(head[1])
            if length >= 126 { length = try read(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
            guard length <= Self.maximumMessage else { throw SocketEnded(reason: "message too long") }
            let payload = try read(length)
            switch head[0] & 0x0F {
            case 1: return .string(String(decoding: payload, as: UTF8.self))
            case 2: return .data(Data(payload))
            case 9: writing.async { [self] in try? write(frame(0x8A, payload)) }
            case 10: break
            default: throw SocketEnded(reason: "closed with \(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })")
            }
        }
    }

    /// With a mask of zeros, which changes no byte.
    private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let width = count < 126 ? 0 : count < 65536 ? 2 : 8
        let short = width == 0 ? count : width == 2 ? 126 : 127
        let long = (0..<width).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        let length = [UInt8(short) | 0x80] + long
        return [first] + length + [0, 0, 0, 0] + payload
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, count - filled, 0) }
            guard got > 0 else { throw SocketEnded(reason: "ended") }
            filled += got
        }
        return bytes
    }

    private func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = sendBytes(descriptor, bytes[sent...])
            guard count > 0 else { throw SocketEnded(reason: "ended") }
            sent += count
        }
    }
}

/// Outside of the class, whose own `send` would hide the system's.
private func sendBytes(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
}
