#if canImport(Darwin)
    /// Darwin has no events yet, because FSEvents is not used. Directories are polled.
    final class DirectoryEvents: Sendable {
        init() throws(WatchFault) { throw .unsupported }

        func watch(_ directory: Descriptor) throws(WatchFault) -> Int32? { throw .unsupported }
        func unwatch(_ number: Int32) {}
        func wait(seconds: Double?) {}
        func wake() {}
        func read() -> [DirectoryEvent] { [] }
    }
#endif
