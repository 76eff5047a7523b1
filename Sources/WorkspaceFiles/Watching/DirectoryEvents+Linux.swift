#if os(Linux)
    internal import Glibc

    /// Watches directories by inotify(7). `wake` may be called on any thread, all else on one at a time.
    final class DirectoryEvents: Sendable {
        private static let flags: Int32 = O_NONBLOCK | O_CLOEXEC
        private static let created: UInt32 = 0x100, modified: UInt32 = 0x2, closedAfterWriting: UInt32 = 0x8
        private static let deleted: UInt32 = 0x200, movedFrom: UInt32 = 0x40, movedTo: UInt32 = 0x80
        private static let onlyDirectories: UInt32 = 0x0100_0000, notUnlinked: UInt32 = 0x0400_0000
        private static let overflow: UInt32 = 0x4000, ended: UInt32 = 0x8000, ofDirectory: UInt32 = 0x4000_0000
        private static let selfMoved: UInt32 = 0x800
        private static let wanted =
            selfMoved | created | modified | closedAfterWriting | deleted | movedFrom | movedTo | onlyDirectories
            | notUnlinked
        /// The bytes of an event before the name.
        private static let headLength = 16

        private let queue: Descriptor
        private let waking: Descriptor
        private let waker: Descriptor

        init() throws(WatchFault) {
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0 else { throw .unsupported }
            (waking, waker) = (Descriptor(ends[0]), Descriptor(ends[1]))
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            let number = inotify_init1(DirectoryEvents.flags)
            guard number >= 0 else { throw .unsupported }
            queue = Descriptor(number)
        }

        /// Watches the directory that the descriptor names, whatever its path is now. A directory that is watched keeps
        /// its number.
        ///
        /// - Returns: `nil` if the directory is gone or cannot be read.
        func watch(_ directory: Descriptor) throws(WatchFault) -> Int32? {
            let path = "/proc/self/fd/\(directory.number)"
            let number = unsafe inotify_add_watch(queue.number, path, DirectoryEvents.wanted)
            if number >= 0 { return number }
            switch errno {
            case ENOSPC: throw .tooManyDirectories
            case ENOMEM, EBADF, EINVAL: throw .unsupported
            default: return nil
            }
        }

        func unwatch(_ number: Int32) { inotify_rm_watch(queue.number, number) }

        /// Blocks until something has happened, `wake` was called or the time is over.
        func wait(seconds: Double?) {
            var descriptors = [
                pollfd(fd: queue.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: waking.number, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = seconds.map { Int32(max(0, min($0, 3600)) * 1000) + 1 } ?? -1
            _ = unsafe poll(&descriptors, 2, milliseconds)
            var buffer = [UInt8](repeating: 0, count: 64)
            while unsafe Glibc.read(waking.number, &buffer, buffer.count) > 0 {}
        }

        func wake() {
            var byte: UInt8 = 0
            _ = unsafe write(waker.number, &byte, 1)
        }

        /// What has happened, without waiting.
        func read() -> [DirectoryEvent] {
            var events: [DirectoryEvent] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = unsafe Glibc.read(queue.number, &buffer, buffer.count)
                guard count > 0 else { return events }
                DirectoryEvents.append(buffer[..<count], to: &events)
            }
        }

        /// The numbers in a message are those of this machine.
        private static func append(_ bytes: ArraySlice<UInt8>, to events: inout [DirectoryEvent]) {
            func number(at index: Int) -> UInt32 {
                unsafe bytes[index..<index + 4].withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
            }
            var start = bytes.startIndex
            while start + headLength <= bytes.endIndex {
                let mask = number(at: start + 4)
                let length = Int(number(at: start + 12))
                let end = min(start + headLength + length, bytes.endIndex)
                if let kind = kind(mask, number(at: start + 8)) {
                    events.append(
                        DirectoryEvent(
                            watch: Int32(bitPattern: number(at: start)),
                            kind: kind,
                            name: Array(bytes[start + headLength..<end].prefix { $0 != 0 }),
                            isDirectory: mask & ofDirectory != 0
                        )
                    )
                }
                start = end
            }
        }

        private static func kind(_ mask: UInt32, _ cookie: UInt32) -> DirectoryEvent.Kind? {
            switch mask {
            case _ where mask & overflow != 0: .overflow
            case _ where mask & ended != 0: .ended
            case _ where mask & selfMoved != 0: .moved
            case _ where mask & created != 0: .created
            case _ where mask & deleted != 0: .deleted
            case _ where mask & movedFrom != 0: .movedFrom(cookie)
            case _ where mask & movedTo != 0: .movedTo(cookie)
            case _ where mask & (modified | closedAfterWriting) != 0: .modified
            default: nil
            }
        }
    }
#endif
