#if canImport(Darwin)
    /// Directories are looked at again and again on Darwin: FSEvents is not used yet.
    final class DirectoryEvents: Sendable {
        init() throws(WatchFault) { throw .unsupported }

        func watch(_ directory: Descriptor) throws(WatchFault) -> Int32? { throw .unsupported }
        func unwatch(_ number: Int32) {}
        func wait(seconds: Double?) {}
        func wake() {}
        func read() -> [DirectoryEvent] { [] }
    }
#endif
