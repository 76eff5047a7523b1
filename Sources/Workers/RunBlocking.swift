internal import Dispatch

/// Runs `work`, which may block, outside the threads of Swift's concurrency, which must not block.
package func runBlocking<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            do throws(Failure) {
                continuation.resume(returning: Result<Value, Failure>.success(try work()))
            } catch {
                continuation.resume(returning: Result<Value, Failure>.failure(error))
            }
        }
    }
    return try result.get()
}
