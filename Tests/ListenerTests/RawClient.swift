import Foundation
import HTTPModel
import Logging
import Synchronization

@testable import Listener

/// A blocking client that sends exactly the bytes it is told to. Every read gives up after `patience`.
final class RawClient {
    /// Seconds. Instrumented code needs more.
    static let patience = ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap(Int.init) ?? 5

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    struct Response {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ address: ListenAddress, receiveBuffer: Int32? = nil) throws {
        switch address {
        case .tcp(let host, let port) where host.contains(":"):
            descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
            var to = sockaddr_in6()
            to.sin6_family = sa_family_t(AF_INET6)
            to.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &to.sin6_addr)
            try Self.connect(descriptor, to, receiveBuffer)
        case .tcp(let host, let port):
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var to = sockaddr_in()
            to.sin_family = sa_family_t(AF_INET)
            to.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &to.sin_addr)
            try Self.connect(descriptor, to, receiveBuffer)
        case .unix(let path):
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var to = sockaddr_un()
            to.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &to.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            try Self.connect(descriptor, to, receiveBuffer)
        }
    }

    deinit { Glibc.close(descriptor) }

    private static func connect<Address>(_ descriptor: Int32, _ address: Address, _ receiveBuffer: Int32?) throws {
        var timeout = timeval(tv_sec: RawClient.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var address = address
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard code == 0 else { throw Failure(description: "connect: errno \(errno)") }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else { throw Failure(description: "send: errno \(errno)") }
            sent += max(0, count)
        }
    }

    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// False at the end of the stream (an abortive end counts).
    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        var count = 0
        repeat { count = recv(descriptor, &chunk, chunk.count, 0) } while count < 0 && errno == EINTR
        if count > 0 {
            buffer += chunk[0..<count]
            return true
        }
        if count == 0 || errno == ECONNRESET { return false }
        throw Failure(description: "recv: errno \(errno), have \(String(decoding: buffer.prefix(300), as: UTF8.self))")
    }

    func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure(description: "end of stream after \(buffer.count) of \(count)") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[0..<count])
    }

    func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// True if the server closes without another byte.
    func isClosedByServer() throws -> Bool {
        try readToEnd().isEmpty
    }

    func readHead() throws -> Response {
        let mark = Array("\r\n\r\n".utf8)
        var end: Int?
        while true {
            if let range = buffer.firstRange(of: mark) {
                end = range.lowerBound
                break
            }
            guard try fill() else {
                throw Failure(description: "no head: \(String(decoding: buffer, as: UTF8.self))")
            }
        }
        let lines = String(decoding: buffer[0..<end!], as: UTF8.self).components(separatedBy: "\r\n")
        buffer.removeFirst(end! + 4)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return Response(status: Int(lines[0].split(separator: " ")[1])!, headers: headers, body: [])
    }

    func readResponse(hasBody: Bool = true) throws -> Response {
        var response = try readHead()
        if hasBody, let length = response.headers["content-length"].flatMap({ Int($0) }) {
            response.body = try read(length)
        }
        return response
    }

    func get(_ path: String, _ headers: String = "") throws -> Response {
        try send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
        return try readResponse()
    }
}

/// A frame as a client sends it: masked.
func clientFrame(_ opcode: UInt8, _ payload: [UInt8], final: Bool = true) -> [UInt8] {
    var frame: [UInt8] = [(final ? 0x80 : 0) | opcode]
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    switch payload.count {
    case ..<126: frame.append(0x80 | UInt8(payload.count))
    case ..<65536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default: frame += [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    frame += mask
    for (index, byte) in payload.enumerated() { frame.append(byte ^ mask[index & 3]) }
    return frame
}

func serverFrame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var frame: [UInt8] = [0x80 | opcode]
    switch payload.count {
    case ..<126: frame.append(UInt8(payload.count))
    case ..<65536: frame += [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default: frame += [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    return frame + payload
}

extension RawClient {
    static let handshake =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    @discardableResult
    func upgrade(_ path: String = "/ws", host: String = "localhost", _ more: String = "") throws -> Response {
        try send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(Self.handshake)\(more)\r\n")
        let response = try readHead()
        guard response.status == 101 else { throw Failure(description: "upgrade: \(response.status)") }
        return response
    }

    func readFrame() throws -> (opcode: UInt8, payload: [UInt8]) {
        let head = try read(2)
        var length = Int(head[1] & 0x7f)
        if length == 126 { length = try read(2).reduce(0) { $0 << 8 | Int($1) } }
        if length == 127 { length = try read(8).reduce(0) { $0 << 8 | Int($1) } }
        return (head[0] & 0x0f, try read(length))
    }

    func readText() throws -> String {
        let frame = try readFrame()
        guard frame.opcode == 1 else { throw Failure(description: "opcode \(frame.opcode)") }
        return String(decoding: frame.payload, as: UTF8.self)
    }

    /// The close code, skipping other frames.
    func readClose() throws -> Int {
        while true {
            let frame = try readFrame()
            if frame.opcode == 8 {
                return frame.payload.count < 2 ? 1005 : Int(frame.payload[0]) << 8 | Int(frame.payload[1])
            }
        }
    }
}
