public import Logging

/// Network loops behind the same listening sockets: the first accepts, and deals the connections out to all in turn. A
/// connection stays with its loop.
public struct LoopGroup: Sendable {
    public let loops: [NetworkLoop]

    /// - Parameters:
    ///   - count: from 1. Each loop gets an equal part of `maxConnections` and `maxBodiesBytes`.
    ///   - makeHandler: runs on each loop in `start`.
    public init(
        count: Int,
        configuration: ListenerConfiguration,
        logger: Logger,
        makeHandler: @escaping @Sendable (isolated NetworkLoop) -> any RequestHandler
    ) {
        func loop(_ number: Int, peerLoops: [NetworkLoop]) -> NetworkLoop {
            let cores = configuration.cores
            return NetworkLoop(
                configuration: configuration,
                peerLoops: peerLoops,
                shares: count,
                core: cores.isEmpty ? nil : cores[number % cores.count],
                logger: logger,
                makeHandler: makeHandler
            )
        }
        let others = (1..<max(1, count)).map { loop($0, peerLoops: []) }
        loops = [loop(0, peerLoops: others)] + others
    }

    /// Listens when it returns. Where a later loop cannot be started, those before it run on until `stop`.
    public func start() throws(ListenerError) -> [BoundAddress] {
        try loops[0].start()
    }

    /// As `NetworkLoop.stop`, for all at once.
    public func stop(graceSeconds: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for loop in loops { group.addTask { await loop.stop(graceSeconds: graceSeconds) } }
        }
    }
}
