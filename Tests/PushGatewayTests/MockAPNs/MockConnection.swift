import CNghttp2
import COpenSSL
import Foundation

/// One connection of the mock: `SSL` on a socket, and nghttp2 in server mode.
final class MockConnection {
    struct Body {
        var bytes: ArraySlice<UInt8>
        var chunk: Int
        /// Whether the stream ends after the bytes.
        var ends = true
    }

    let mock: MockAPNs
    let descriptor: Int32
    let number: Int
    private let ssl: OpaquePointer
    private(set) var session: OpaquePointer?
    private(set) var isClosed = false
    private(set) var isStalled = false
    private var output: [UInt8] = []
    private var isHandshaken = false

    // Written by the callbacks.
    var building: [Int32: MockRequest] = [:]
    var complete: [MockRequest] = []
    var bodies: [Int32: Body] = [:]
    var open: Set<Int32> = []
    var held: Set<Int32> = []
    /// SETTINGS sent and not acknowledged, oldest first; then what counts.
    var announcedLimits: [UInt32?] = []
    var acknowledgedLimit: UInt32?
    /// Streams above it were told that nobody has looked at them.
    private(set) var lastAcceptedStream = Int32.max
    var isProven = false
    var auth = MockTokenCheck()

    init?(_ mock: MockAPNs, _ tls: MockTLS, _ descriptor: Int32, _ number: Int) {
        guard let ssl = SSL_new(tls.context) else { return nil }
        self.mock = mock
        self.descriptor = descriptor
        self.number = number
        self.ssl = ssl
        SSL_set_fd(ssl, descriptor)
        SSL_set_accept_state(ssl)
        monitor_set_write_modes(ssl)
    }

    deinit {
        nghttp2_session_del(session)
        SSL_free(ssl)
        close(descriptor)
    }

    var wantsWrite: Bool { !output.isEmpty && !isStalled }

    func perform() {
        guard !isClosed, !isStalled else { return }
        if !isHandshaken, !handshake() { return }
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while !isClosed {
            ERR_clear_error()
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            guard count > 0 else {
                let error = SSL_get_error(ssl, count)
                if error != SSL_ERROR_WANT_READ, error != SSL_ERROR_WANT_WRITE { isClosed = true }
                break
            }
            if nghttp2_session_mem_recv(session, buffer, Int(count)) < 0 { isClosed = true }
        }
        answerComplete()
        flush()
    }

    func follow(_ command: MockAPNs.Command) {
        guard session != nil, !isClosed else { return }
        switch command {
        case .releaseHeld:
            let released = held
            held = []
            for stream in released where open.contains(stream) { submit(200, stream) }
            mock.note { $0.held -= released.count }
        case .streamLimit(let limit): announce(limit: limit)
        case .goAway: goAway(last: nghttp2_session_get_last_proc_stream_id(session), debug: "")
        case .disconnectAll: disconnect(abrupt: false)
        case .stop: break
        }
        flush()
    }

    func announce(limit: UInt32?) {
        var entries: [nghttp2_settings_entry] = []
        if let limit {
            let id = Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
            entries.append(nghttp2_settings_entry(settings_id: id, value: limit))
        }
        if announcedLimits.isEmpty, acknowledgedLimit == nil, let window = mock.script.initialWindow {
            let id = Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue)
            entries.append(nghttp2_settings_entry(settings_id: id, value: window))
        }
        announcedLimits.append(limit)
        nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    func submit(_ status: Int, _ stream: Int32, body: String = "", fields: [String: String] = [:], split: Bool = false)
    {
        var fields = fields
        fields["apns-id"] = fields["apns-id"] ?? building[stream]?.id
        withFields([(":status", String(status))] + fields.map { ($0.key, $0.value) }) { list, count in
            if body.isEmpty {
                _ = nghttp2_submit_response(session, stream, list, count, nil)
                return
            }
            let bytes = Array(body.utf8)
            bodies[stream] = Body(bytes: bytes[...], chunk: split ? (bytes.count + 1) / 2 : bytes.count)
            var provider = nghttp2_data_provider()
            provider.read_callback = mockReadBody
            _ = nghttp2_submit_response(session, stream, list, count, &provider)
        }
    }

    func submitUnfinished(_ status: Int, _ stream: Int32, interim: Bool) {
        withFields([(":status", String(status))]) { list, count in
            if interim {
                _ = nghttp2_submit_headers(session, 0, stream, nil, list, count, nil)
            } else {
                bodies[stream] = Body(bytes: [], chunk: 1, ends: false)
                var provider = nghttp2_data_provider()
                provider.read_callback = mockReadBody
                _ = nghttp2_submit_response(session, stream, list, count, &provider)
            }
        }
    }

    func goAway(last: Int32, debug: String) {
        lastAcceptedStream = min(lastAcceptedStream, last)
        let bytes = Array(debug.utf8)
        nghttp2_submit_goaway(session, 0, last, 0, bytes, bytes.count)
    }

    func disconnect(abrupt: Bool) {
        mock.note { $0.broken.insert(number) }
        flush()
        if abrupt {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        isClosed = true
    }

    func write(raw bytes: [UInt8]) {
        flush()
        output += bytes
        flush()
    }

    func stall() {
        flush()
        isStalled = true
    }

    func flush() {
        guard let session, !isStalled else { return }
        while true {
            var start: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &start)
            guard count > 0 else { break }
            output.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
        }
        while !output.isEmpty {
            ERR_clear_error()
            let count = SSL_write(ssl, output, Int32(output.count))
            guard count > 0 else {
                let error = SSL_get_error(ssl, count)
                if error != SSL_ERROR_WANT_READ, error != SSL_ERROR_WANT_WRITE { isClosed = true }
                return
            }
            output.removeFirst(Int(count))
        }
        if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0, !isClosed {
            // Requests that are on their way now make the system reset the connection, and lose answers with it.
            mock.note { $0.broken.insert(number) }
            isClosed = true
        }
    }

    private func handshake() -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            let error = SSL_get_error(ssl, result)
            if error != SSL_ERROR_WANT_READ, error != SSL_ERROR_WANT_WRITE { isClosed = true }
            return false
        }
        isHandshaken = true
        let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) } ?? ""
        mock.note {
            $0.handshakes += 1
            $0.serverNames.append(name)
        }
        session = mockSession(for: self, answersPings: mock.script.answersPings)
        announce(limit: mock.script.initialStreamLimit)
        flush()
        return true
    }

    private func withFields(_ fields: [(String, String)], _ body: ([nghttp2_nv], Int) -> Void) {
        var arena = fields.flatMap { Array($0.0.utf8) + Array($0.1.utf8) }
        arena.withUnsafeMutableBufferPointer { arena in
            var next = arena.baseAddress!
            var list: [nghttp2_nv] = []
            for (name, value) in fields {
                let (n, v) = (name.utf8.count, value.utf8.count)
                list.append(nghttp2_nv(name: next, value: next + n, namelen: n, valuelen: v, flags: 0))
                next += n + v
            }
            body(list, list.count)
        }
    }
}
