internal import CLibwebsockets
internal import Glibc

/// Wakes a context from any thread: the only call of libwebsockets that is allowed from other threads. The holder must
/// ensure that the context still exists: `LoopExecutor` drops it under its lock before the context is destroyed.
struct ServiceWaker: Sendable {
    fileprivate let address: UInt

    func wake() {
        unsafe lws_cancel_service(OpaquePointer(bitPattern: address))
    }
}

/// One context with one virtual host that does not listen; accepted sockets are handed to it. Loop thread only, except
/// for its creation. Destroyed by `destroy`, or with the object.
///
/// Safe because the pointers are private, and `isAlive` keeps `destroy` from running twice.
@safe final class ServiceContext {
    private let context: OpaquePointer
    private let host: OpaquePointer
    private let protocols: UnsafeMutablePointer<lws_protocols>
    let loop: EventLoop
    private let pendingWork: PendingWork
    private let strings: [UnsafeMutablePointer<CChar>]
    private var isAlive = true

    let isSecure: Bool

    /// `loop` must outlive the context: the context holds its bare address.
    init(_ configuration: ListenerConfiguration, loop: NetworkLoop) throws(ListenerError) {
        guard let eventLoop = EventLoop(owner: loop) else { throw .contextFailed }
        self.loop = eventLoop
        let settings = unsafe ContextSettings(configuration)
        unsafe strings = settings.strings
        unsafe protocols = settings.protocols
        isSecure = configuration.tls != nil

        var info = unsafe settings.contextInfo
        unsafe info.user = Unmanaged.passUnretained(loop).toOpaque()
        var loops: [UnsafeMutableRawPointer?] = unsafe [UnsafeMutableRawPointer(eventLoop.raw)]
        let created = unsafe loops.withUnsafeMutableBufferPointer { loops in
            unsafe info.foreign_loops = loops.baseAddress
            return unsafe lws_create_context(&info)
        }
        unsafe info.foreign_loops = nil
        guard let context = unsafe created else {
            unsafe settings.free()
            throw .contextFailed
        }
        unsafe self.context = context
        guard let host = unsafe lws_create_vhost(context, &info) else {
            unsafe lws_context_destroy(context)
            unsafe settings.free()
            throw isSecure ? .badCertificate : .contextFailed
        }
        unsafe self.host = host
        unsafe pendingWork = PendingWork(context)
    }

    deinit {
        destroy()
        unsafe ContextSettings.free(protocols, strings)
    }

    var waker: ServiceWaker { unsafe ServiceWaker(address: UInt(bitPattern: context)) }

    /// Call after each turn of the loop.
    func servePending() {
        pendingWork.serve()
    }

    /// Monotonic microseconds.
    static var now: Int64 { lws_now_usecs() }

    /// Calls `NetworkLoop.timerFired` once, after the given number of microseconds. Replaces an earlier schedule.
    func schedule(after microseconds: Int64) {
        loop.schedule(after: microseconds)
    }

    /// Takes ownership of the descriptor, also if it fails. Callbacks of the new connection may come before this
    /// returns.
    func adopt(socket: Int32, id: UInt64, secure: Bool) -> LWSConnection? {
        var description = unsafe lws_adopt_desc_t()
        unsafe description.vh = host
        // The raw role: no parser of the library sees a byte (`Quirk.lenientParser`).
        let type = LWS_ADOPT_SOCKET.rawValue | (secure ? LWS_ADOPT_ALLOW_SSL.rawValue : 0)
        unsafe description.type = lws_adoption_type(rawValue: type)
        unsafe description.fd.sockfd = socket
        unsafe description.opaque = UnsafeMutableRawPointer(bitPattern: UInt(id))
        return unsafe lws_adopt_descriptor_vhost_via_info(&description).map { unsafe LWSConnection($0) }
    }

    /// Reports a listening socket as readable by `RAW_RX_FILE`. Takes ownership of the descriptor if it succeeds.
    func watch(listener: Int32, id: UInt64) -> LWSConnection? {
        var description = unsafe lws_adopt_desc_t()
        unsafe description.vh = host
        unsafe description.type = LWS_ADOPT_RAW_FILE_DESC
        unsafe description.fd.filefd = listener
        unsafe description.opaque = UnsafeMutableRawPointer(bitPattern: UInt(id))
        return unsafe lws_adopt_descriptor_vhost_via_info(&description).map { unsafe LWSConnection($0) }
    }

    /// Closes every connection. Their last callbacks come before this returns.
    func destroy() {
        guard isAlive else { return }
        isAlive = false
        pendingWork.cancel()
        unsafe lws_context_destroy(context)
    }
}
