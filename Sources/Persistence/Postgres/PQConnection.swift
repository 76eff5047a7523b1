import CLibpq
import Glibc

/// One `PGconn`. Use from one thread at a time. Calls block; each wait for the server is bounded.
///
/// Safe because the handle is private, valid from `init` to `deinit`, and freed only there.
@safe package final class PQConnection {
    private let handle: OpaquePointer
    /// Maximum wait for the socket before `shouldGiveUp` is called again.
    private static let sliceMilliseconds: Int32 = 200

    private let replyTimeoutMilliseconds: Int32
    private let shouldGiveUp: () -> Bool
    /// Called like `shouldGiveUp`. `true` asks the server, once, to cancel the query, which fails with `queryCanceled`.
    var shouldCancel: () -> Bool = { false } {
        didSet { isCancelSent = false }
    }
    private var isCancelSent = false
    private var preparedNames: Set<String> = []

    /// Connects to the configured database.
    convenience init(
        _ configuration: PersistenceConfiguration,
        applicationName: String,
        replyTimeoutMilliseconds: Int32,
        shouldGiveUp: @escaping () -> Bool = { false }
    ) throws(PersistenceError) {
        try self.init(
            conninfo: configuration.conninfo,
            password: configuration.password,
            applicationName: applicationName,
            replyTimeoutMilliseconds: replyTimeoutMilliseconds,
            shouldGiveUp: shouldGiveUp
        )
    }

    /// Connects. Takes up to `connect_timeout` (5 s unless `conninfo` sets it) for each address.
    ///
    /// - Parameters:
    ///   - password: overrides the one in `conninfo`.
    ///   - shouldGiveUp: called a few times a second during a wait for the server, also while connecting. `true` closes
    ///     the connection, as after a timeout.
    package init(
        conninfo: String,
        password: String? = nil,
        applicationName: String,
        replyTimeoutMilliseconds: Int32 = 30_000,
        shouldGiveUp: @escaping () -> Bool = { false }
    ) throws(PersistenceError) {
        try PQConnection.check(conninfo)
        self.replyTimeoutMilliseconds = replyTimeoutMilliseconds
        self.shouldGiveUp = shouldGiveUp
        // A later keyword overrides an earlier one, so keywords before dbname are defaults (manual, 34.1). libpq
        // ignores an empty value.
        let options = [
            ("application_name", applicationName), ("connect_timeout", "5"), ("tcp_user_timeout", "15000"),
            ("dbname", conninfo), ("client_encoding", "UTF8"),
            ("password", password ?? ""),
        ]
        let attempt = try ConnectionAttempt(options, shouldGiveUp: shouldGiveUp)
        guard let handle = unsafe attempt.take() else {
            throw PersistenceError(.connectionFailed, "no memory for a connection")
        }
        unsafe self.handle = handle
        // libpq would write notices to standard error, past the log. Errors are thrown.
        unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard unsafe PQstatus(handle) == CONNECTION_OK, unsafe PQsetnonblocking(handle, 1) == 0 else {
            // The message names host, port, user and database, never the password.
            let message = unsafe String(cString: PQerrorMessage(handle))
            throw PersistenceError(.connectionFailed, message.split(separator: "\n").joined(separator: " "))
        }
    }

    deinit {
        unsafe PQfinish(handle)
    }

    /// Runs SQL text, which may hold several statements, without preparing it. Discards the results.
    package func execute(_ sql: String, as name: String) throws(PersistenceError) {
        guard unsafe PQsendQuery(handle, sql) == 1 else { throw lost(name) }
        try flush(name)
        var failure: PersistenceError?
        while let result = try nextResult(name) {
            if result.outcome == .failure, failure == nil { failure = result.error(during: name) }
        }
        if let failure { throw failure }
    }

    /// Runs one statement without parameters and without preparing it.
    func queryUnprepared(_ sql: String, as name: String) throws(PersistenceError) -> PQResult {
        guard unsafe PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost(name) }
        try flush(name)
        return try onlyResult(name)
    }

    /// The server process, as the other side announced it at the start of the connection.
    var announcedProcess: Int64 { Int64(unsafe PQbackendPID(handle)) }

    package func query(_ statement: Statement, _ parameters: Parameters = Parameters()) throws(PersistenceError)
        -> PQResult
    {
        try prepare(statement)
        try send(statement, parameters)
        try flush(statement.name)
        return try onlyResult(statement.name)
    }

    /// Runs the calls in one round trip, in libpq's pipeline mode. Throws the first failure; the calls after it are
    /// not run. Outside an explicit transaction the calls form one transaction (manual, 34.5.1.1).
    ///
    /// - Parameter meanwhile: called while the server works. It must be short.
    package func pipeline(
        _ calls: [(Statement, Parameters)],
        meanwhile: () -> Void = {}
    ) throws(PersistenceError) -> [PQResult] {
        for (statement, _) in calls { try prepare(statement) }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost("pipeline") }
        for (statement, parameters) in calls { try send(statement, parameters) }
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost("pipeline") }
        try flush("pipeline")
        meanwhile()
        var results: [PQResult] = []
        var failure: PersistenceError?
        for (statement, _) in calls {
            let result = try onlyPipelineResult(statement.name)
            if result.outcome == .failure, failure == nil { failure = result.error(during: statement.name) }
            if let failure, failure.isConnectionLost { throw failure }
            results.append(result)
        }
        guard try nextResult("pipeline")?.outcome == .pipelineSync, unsafe PQexitPipelineMode(handle) == 1 else {
            throw lost("pipeline")
        }
        if let failure { throw failure }
        return results
    }

    /// Returns the payloads of received notifications, in order. Returns an empty array after the timeout.
    func notifications(timeoutMilliseconds: Int32) throws(PersistenceError) -> [String] {
        var payloads = takeNotifications()
        guard payloads.isEmpty, waitForSocket(Int16(POLLIN), timeoutMilliseconds: timeoutMilliseconds) else {
            return payloads
        }
        guard unsafe PQconsumeInput(handle) == 1 else { throw lost("listen") }
        payloads = takeNotifications()
        return payloads
    }

    private func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = unsafe PQnotifies(handle) {
            unsafe payloads.append(String(cString: notification.pointee.extra))
            unsafe PQfreemem(notification)
        }
        return payloads
    }

    /// Whether the server has closed the connection. Checks the socket only, without a round trip.
    func isClosedByServer() -> Bool {
        // A server that closes the connection sends its reason first. Only the read after it reaches end of file.
        while unsafe PQstatus(handle) == CONNECTION_OK {
            guard waitForSocket(Int16(POLLIN), timeoutMilliseconds: 0) else { return false }
            guard unsafe PQconsumeInput(handle) == 1 else { return true }
        }
        return true
    }

    private func prepare(_ statement: Statement) throws(PersistenceError) {
        guard !preparedNames.contains(statement.name) else { return }
        let types = statement.parameters.map { Oid($0.rawValue) }
        guard unsafe PQsendPrepare(handle, statement.name, statement.sql, Int32(types.count), types) == 1 else {
            throw lost(statement.name)
        }
        try flush(statement.name)
        _ = try onlyResult(statement.name)
        preparedNames.insert(statement.name)
    }

    private func send(_ statement: Statement, _ parameters: Parameters) throws(PersistenceError) {
        precondition(parameters.ranges.count == statement.parameters.count, "parameters of \(statement.name)")
        let lengths = parameters.ranges.map { Int32($0?.count ?? 0) }
        let formats = parameters.ranges.map { _ in Int32(1) }
        // PQsendQueryPrepared copies the parameters before it returns.
        let sent = unsafe parameters.bytes.withUnsafeBytes { bytes -> Int32 in
            // An empty value is not NULL: libpq needs a non-null pointer, although it reads nothing through it.
            let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            let values = unsafe parameters.ranges.map { range in
                unsafe range.flatMap { range in
                    unsafe base.map { unsafe ($0 + range.lowerBound).assumingMemoryBound(to: CChar.self) }
                }
            }
            return unsafe PQsendQueryPrepared(
                handle,
                statement.name,
                Int32(values.count),
                values,
                lengths,
                formats,
                1
            )
        }
        guard sent == 1 else { throw lost(statement.name) }
    }
}

extension PQConnection {
    /// In non-blocking mode libpq buffers what the socket does not accept. The server may not read more until the
    /// client reads its results (manual, 34.4).
    private func flush(_ name: String) throws(PersistenceError) {
        while true {
            switch unsafe PQflush(handle) {
            case 0: return
            case 1:
                guard waitForSocket(Int16(POLLIN | POLLOUT), timeoutMilliseconds: replyTimeoutMilliseconds) else {
                    throw timedOut(name)
                }
                guard unsafe PQconsumeInput(handle) == 1 else { throw lost(name) }
            default: throw lost(name)
            }
        }
    }

    /// Returns `nil` when the result of one statement is complete.
    private func nextResult(_ name: String) throws(PersistenceError) -> PQResult? {
        while unsafe PQisBusy(handle) == 1 {
            guard waitForSocket(Int16(POLLIN), timeoutMilliseconds: replyTimeoutMilliseconds) else {
                throw timedOut(name)
            }
            // Not an error yet: the server's last message may be in the buffer, and is then returned as a result.
            guard unsafe PQconsumeInput(handle) == 1 || PQisBusy(handle) == 0 else { throw lost(name) }
        }
        return unsafe PQgetResult(handle).map { unsafe PQResult(takingOwnershipOf: $0) }
    }

    private func onlyResult(_ name: String) throws(PersistenceError) -> PQResult {
        let result = try onlyPipelineResult(name)
        guard result.outcome == .success else { throw result.error(during: name) }
        return result
    }

    private func onlyPipelineResult(_ name: String) throws(PersistenceError) -> PQResult {
        guard let result = try nextResult(name) else { throw lost(name) }
        while try nextResult(name) != nil {}
        return result
    }

    /// A negative timeout waits without bound.
    private func waitForSocket(_ events: Int16, timeoutMilliseconds: Int32) -> Bool {
        var descriptor = unsafe pollfd(fd: PQsocket(handle), events: events, revents: 0)
        var left = timeoutMilliseconds
        while true {
            let slice = left < 0 ? PQConnection.sliceMilliseconds : min(left, PQConnection.sliceMilliseconds)
            let ready = unsafe poll(&descriptor, 1, slice)
            if ready < 0 && errno == EINTR { continue }
            if ready != 0 { return true }
            if left >= 0 { left -= slice }
            if left == 0 || shouldGiveUp() { return false }
            if !isCancelSent, shouldCancel() { sendCancel() }
        }
    }

    /// Asks for the end of the running query, over another connection. If that fails, the statement's timeout ends it.
    private func sendCancel() {
        isCancelSent = true
        guard let cancel = unsafe PQgetCancel(handle) else { return }
        defer { unsafe PQfreeCancel(cancel) }
        var message = [CChar](repeating: 0, count: 256)
        _ = unsafe message.withUnsafeMutableBufferPointer { buffer in
            unsafe PQcancel(cancel, buffer.baseAddress, Int32(buffer.count))
        }
    }

    private func lost(_ name: String) -> PersistenceError {
        PersistenceError(.connectionLost, "the connection broke during \(name)")
    }

    private func timedOut(_ name: String) -> PersistenceError {
        PersistenceError(.timedOut, "no answer to \(name) within \(replyTimeoutMilliseconds) ms")
    }
}
