import COpenSSL
import Dispatch
import Foundation
import Synchronization
import Workers

/// A server with Apple's manners on a loopback port and a thread of its own: nghttp2 in server mode over OpenSSL on
/// sockets. It shares no code with the client but the two libraries, and the reading of JSON Web Tokens. What both
/// ends could misread alike in HTTP/2 only a server on another library (such as Python's h2) would show.
final class MockAPNs: Sendable {
    enum Command: Sendable {
        case releaseHeld
        case streamLimit(UInt32)
        case goAway
        case disconnectAll
        case stop
    }

    private struct Waiter {
        let isMet: @Sendable (MockRecord) -> Bool
        let deadline: Date
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var record = MockRecord()
        var commands: [Command] = []
        var waiters: [Waiter] = []
    }

    let port: UInt16
    let script: MockScript
    private let listener: Int32
    private let wake: [Int32]
    private let state = Mutex(State())

    init(_ script: MockScript, certificate: TestCertificates.Server) throws {
        self.script = script
        // OpenSSL's socket BIO, which only the mock uses, writes without MSG_NOSIGNAL.
        signal(SIGPIPE, SIG_IGN)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = UInt16(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw MockFailure("cannot listen") }
        port = UInt16(bigEndian: address.sin_port)
        var pair: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else { throw MockFailure("no pair") }
        wake = pair
        let context = try MockTLS(certificate: certificate, script: script)
        let reader = pair[0]
        _ = try WorkerThread(name: "mock-apns") { [self] in MockLoop(self, context, listener, reader).run() }
    }

    func send(_ command: Command) {
        state.withLock { $0.commands.append(command) }
        var byte: UInt8 = 1
        _ = write(wake[1], &byte, 1)
    }

    func takeCommands() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    var record: MockRecord { state.withLock { $0.record } }

    func note(_ change: (inout MockRecord) -> Void) {
        state.withLock { change(&$0.record) }
        answerWaiters()
    }

    /// Waits until the record is as wanted; false after `seconds`.
    func wait(seconds: Double = 20, until isMet: @escaping @Sendable (MockRecord) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let waiter = Waiter(isMet: isMet, deadline: Date() + seconds, continuation: continuation)
            state.withLock { $0.waiters.append(waiter) }
            answerWaiters()
        }
    }

    func answerWaiters() {
        let ready = state.withLock { state -> [(Waiter, Bool)] in
            let judged = state.waiters.map { ($0, $0.isMet(state.record)) }
            state.waiters = judged.filter { !$0.1 && $0.0.deadline > Date() }.map(\.0)
            return judged.filter { $0.1 || $0.0.deadline <= Date() }
        }
        for (waiter, isMet) in ready { waiter.continuation.resume(returning: isMet) }
    }
}

/// One `SSL_CTX` of a server.
final class MockTLS: @unchecked Sendable {
    let context: OpaquePointer
    /// Wire form; read by the ALPN callback.
    let alpn: [UInt8]

    init(certificate: TestCertificates.Server, script: MockScript) throws {
        alpn = script.alpn
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw MockFailure("no context") }
        self.context = context
        guard SSL_CTX_use_certificate_chain_file(context, certificate.certificate) == 1,
            SSL_CTX_use_PrivateKey_file(context, certificate.key, SSL_FILETYPE_PEM) == 1
        else { throw MockFailure("no certificate") }
        if let version = script.maxTLSVersion {
            SSL_CTX_set_security_level(context, 0)
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        }
        if !alpn.isEmpty {
            SSL_CTX_set_alpn_select_cb(context, mockSelectProtocol, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    deinit { SSL_CTX_free(context) }
}

/// Called by OpenSSL in the handshake, on the mock's thread; `argument` is the `MockTLS`, which outlives its
/// connections.
private func mockSelectProtocol(
    _ ssl: OpaquePointer?,
    _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outLength: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredLength: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument, let out, let outLength else { return SSL_TLSEXT_ERR_NOACK }
    let tls = Unmanaged<MockTLS>.fromOpaque(argument).takeUnretainedValue()
    var selected: UnsafeMutablePointer<UInt8>?
    let result = tls.alpn.withUnsafeBufferPointer { list in
        SSL_select_next_proto(&selected, outLength, list.baseAddress, UInt32(list.count), offered, offeredLength)
    }
    guard result == OPENSSL_NPN_NEGOTIATED, let selected else { return SSL_TLSEXT_ERR_NOACK }
    // The choice points into what the client offered, which stays for the handshake.
    out.pointee = UnsafePointer(selected)
    return SSL_TLSEXT_ERR_OK
}
