internal import CLibwebsockets
internal import Glibc

/// Wakes a context from any thread: the one call of libwebsockets that may come from elsewhere. Whoever holds it makes
/// sure that the context lives (`LoopExecutor` forgets it, under its lock, before the context is destroyed).
struct ServiceWaker: Sendable {
    fileprivate let address: UInt

    func wake() {
        unsafe lws_cancel_service(OpaquePointer(bitPattern: address))
    }
}

/// One context with one virtual host that does not listen: sockets are accepted elsewhere and adopted. Loop thread
/// only, except for its creation. Destroyed by `destroy`, at the latest with the object.
@safe final class ServiceContext {
    private let context: OpaquePointer
    private let host: OpaquePointer
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private let timer: UnsafeMutablePointer<listener_timer>
    private let strings: [UnsafeMutablePointer<CChar>]
    private var isAlive = true

    let isSecure: Bool

    /// `loop` must outlive the context: the context holds its bare address.
    init(_ configuration: ListenerConfiguration, loop: NetworkLoop) throws(ListenerError) {
        let settings = unsafe ContextSettings(configuration)
        unsafe strings = settings.strings
        unsafe protocols = settings.protocols
        isSecure = configuration.tls != nil
        unsafe timer = .allocate(capacity: 1)
        unsafe timer.initialize(to: listener_timer())

        var info = unsafe settings.contextInfo
        unsafe info.user = Unmanaged.passUnretained(loop).toOpaque()
        guard let context = unsafe lws_create_context(&info) else {
            unsafe settings.free()
            unsafe timer.deallocate()
            throw .contextFailed
        }
        unsafe self.context = context
        guard let host = unsafe lws_create_vhost(context, &info) else {
            unsafe lws_context_destroy(context)
            unsafe settings.free()
            unsafe timer.deallocate()
            throw isSecure ? .badCertificate : .contextFailed
        }
        unsafe self.host = host
        unsafe timer.pointee.owner = Unmanaged.passUnretained(loop).toOpaque()
    }

    deinit {
        destroy()
        unsafe ContextSettings.free(protocols, strings)
        unsafe timer.deallocate()
    }

    var waker: ServiceWaker { unsafe ServiceWaker(address: UInt(bitPattern: context)) }

    /// Waits for the next events and handles them.
    func service() {
        unsafe lws_service(context, 0)
    }

    /// Monotonic microseconds.
    static var now: Int64 { lws_now_usecs() }

    /// `loopTimerFired` after so many microseconds, once; replaces what was scheduled.
    func schedule(after microseconds: Int64) {
        unsafe lws_sul_schedule(context, 0, &timer.pointee.sul, loopTimerFired, microseconds)
    }

    /// Takes the descriptor over, also when it fails. Callbacks of the new connection may come before this returns.
    func adopt(socket: Int32, id: UInt64, secure: Bool) -> Wire? {
        var description = unsafe lws_adopt_desc_t()
        unsafe description.vh = host
        let type =
            LWS_ADOPT_SOCKET.rawValue | LWS_ADOPT_HTTP.rawValue | (secure ? LWS_ADOPT_ALLOW_SSL.rawValue : 0)
        unsafe description.type = lws_adoption_type(rawValue: type)
        unsafe description.fd.sockfd = socket
        unsafe description.opaque = UnsafeMutableRawPointer(bitPattern: UInt(id))
        return unsafe lws_adopt_descriptor_vhost_via_info(&description).map { unsafe Wire($0) }
    }

    /// Reports a listening socket as readable by `RAW_RX_FILE`. Takes the descriptor over when it succeeds.
    func watch(listener: Int32, id: UInt64) -> Wire? {
        var description = unsafe lws_adopt_desc_t()
        unsafe description.vh = host
        unsafe description.type = LWS_ADOPT_RAW_FILE_DESC
        unsafe description.fd.filefd = listener
        unsafe description.opaque = UnsafeMutableRawPointer(bitPattern: UInt(id))
        return unsafe lws_adopt_descriptor_vhost_via_info(&description).map { unsafe Wire($0) }
    }

    /// Closes every connection; their last callbacks come before this returns.
    func destroy() {
        guard isAlive else { return }
        isAlive = false
        unsafe lws_sul_cancel(&timer.pointee.sul)
        unsafe lws_context_destroy(context)
    }
}
