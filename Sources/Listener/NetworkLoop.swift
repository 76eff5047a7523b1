/// One libwebsockets context on a thread of its own. The thread is the actor's executor: state on the loop needs no lock.
public actor NetworkLoop {
    // INTERFACE (bodies are written by the listener's author):
    //
    //   public init(configuration: ListenerConfiguration, logger: Logger,
    //               makeHandler: @escaping @Sendable (isolated NetworkLoop) -> any RequestHandler)
    //   public nonisolated func start() throws(ListenerError) -> [BoundAddress]    listening when it returns
    //   public nonisolated func stop(graceSeconds: Int) async     stop accepting, WebSockets closed with 1001, then ends
    //   public nonisolated func post(_ work: @escaping @Sendable (isolated NetworkLoop) -> Void)
    //         any thread, FIFO, one wake per burst
    //   public var handler: any RequestHandler                                     loop thread only
    //
    //   loop thread only:
    //   public func respond(_ exchange: ExchangeID, _ response: HTTPResponse)      a closed connection is no error
    //   public func openStream(_ exchange: ExchangeID, _ head: HTTPResponse) -> LinkID?   head + body so far; stays open
    //   public func send(_ bytes: [UInt8], to link: LinkID) -> SendOutcome         ws: whole frames, already framed
    //   public func close(_ link: LinkID, code: UInt16, reason: String)            stream: the response just ends
    //   public var linkCount: Int
}
