import CLibpq
import Glibc
import Synchronization
import Workers

/// One attempt to connect, on its own thread: libpq tries the addresses in turn, with a timeout for each, and cannot be
/// interrupted. If the caller gives up, the thread continues alone, and the result is freed when it returns.
///
/// Safe because the handle is private, and freed in `deinit` unless `take` has passed it on.
@safe final class ConnectionAttempt: Sendable {
    private static let sliceMilliseconds = 200

    /// The address of the `PGconn`; 0 if there is none.
    private let address = Atomic<UInt>(0)

    /// Blocks until the attempt has ended, or `shouldGiveUp`, which is called a few times a second, returns `true`.
    init(
        _ options: [(keyword: String, value: String)],
        shouldGiveUp: () -> Bool
    ) throws(PersistenceError) {
        let thread: WorkerThread
        do {
            thread = try WorkerThread(name: "pg-connect") { [self] in
                let handle = unsafe ConnectionAttempt.connect(options)
                address.store(UInt(bitPattern: handle), ordering: .releasing)
            }
        } catch {
            throw PersistenceError(.connectionFailed, "\(error)")
        }
        while !thread.join(timeoutMilliseconds: ConnectionAttempt.sliceMilliseconds) {
            if shouldGiveUp() { throw PersistenceError(.stopped, "no connection was made before the stop") }
        }
    }

    deinit {
        unsafe PQfinish(take())
    }

    /// The caller frees the handle. Returns `nil` if there is no memory for a connection, or at a second call.
    func take() -> OpaquePointer? {
        unsafe OpaquePointer(bitPattern: address.exchange(0, ordering: .acquiring))
    }

    private static func connect(_ options: [(keyword: String, value: String)]) -> OpaquePointer? {
        let keywords = unsafe options.map { unsafe strdup($0.keyword) }
        let values = unsafe options.map { unsafe strdup($0.value) }
        defer { unsafe (keywords + values).forEach { unsafe free($0) } }
        let keywordList = unsafe keywords.map { unsafe UnsafePointer($0) } + [nil]
        let valueList = unsafe values.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe PQconnectdbParams(keywordList, valueList, 1)
    }
}

extension PQConnection {
    /// libpq quotes a string that it cannot parse, including the password. So the string is parsed here first, and
    /// libpq's message is discarded.
    static func check(_ conninfo: String) throws(PersistenceError) {
        guard let options = unsafe PQconninfoParse(conninfo, nil) else {
            throw PersistenceError(.invalidConfiguration, "the database's connection string cannot be read")
        }
        defer { unsafe PQconninfoFree(options) }
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if unsafe strcmp(keyword, "port") == 0, let value = unsafe option.pointee.val {
                let ports = unsafe String(cString: value).split(separator: ",", omittingEmptySubsequences: false)
                guard ports.allSatisfy({ $0.isEmpty || Int($0).map((1...65_535).contains) ?? false }) else {
                    throw PersistenceError(.invalidConfiguration, "the database's port is not a number from 1 to 65535")
                }
            }
            unsafe option += 1
        }
    }
}
