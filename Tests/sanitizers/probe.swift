// What the run proves before it trusts ThreadSanitizer: `guarded` must pass and `racing` must be found.
import Glibc
import Synchronization

final class Guarded: Sendable {
    let value = Mutex([0])
}

final class Racing: @unchecked Sendable {
    var value = [0]
}

let guarded = Guarded()
let racing = Racing()
let isRacing = CommandLine.arguments.last == "racing"

/// Called by pthread_create(3) on each thread.
func work(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    for _ in 0..<1000 {
        // Held for a moment, so that others have to wait.
        guarded.value.withLock { value in
            value[0] += 1
            if value[0] % 50 == 0 { usleep(20) }
        }
    }
    if isRacing { for _ in 0..<1000 { racing.value[0] += 1 } }
    return nil
}

let threads = (0..<8).map { _ in
    var thread = pthread_t()
    pthread_create(&thread, nil, work, nil)
    return thread
}
for thread in threads { pthread_join(thread, nil) }
print(guarded.value.withLock { $0[0] })
