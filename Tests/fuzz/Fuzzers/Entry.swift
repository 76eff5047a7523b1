import Glibc

/// One parser of bytes from outside. What it is given must neither trap nor break what the parser promises.
struct Fuzzer: Sendable {
    let name: String
    let run: @Sendable ([UInt8]) -> Void
}

let fuzzers: [Fuzzer] = [
    ingestFuzzers, clientFuzzers, requestFuzzers, secretFuzzers, storageFuzzers, pushFuzzers, appleFuzzers,
    noticeFuzzers,
    audienceFuzzers, bodyFuzzers, wireFuzzers, telemetryFuzzers, commandFuzzers,
].flatMap(\.self)

/// Chosen once, by FUZZ_TARGET.
nonisolated(unsafe) var chosen: Fuzzer?

/// Called by libFuzzer once, before anything else, on its thread.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _: UnsafeMutablePointer<Int32>?,
    _: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> Int32 {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    if name == "list" {
        for fuzzer in fuzzers { print(fuzzer.name) }
        exit(0)
    }
    chosen = fuzzers.first { $0.name == name }
    guard chosen != nil else {
        print("FUZZ_TARGET is one of: " + fuzzers.map(\.name).joined(separator: " "))
        exit(64)
    }
    return 0
}

/// Called by libFuzzer for each input, on its thread; the bytes are its own and stay until this returns.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// A broken promise ends the process, so that libFuzzer keeps the input.
func promise(_ holds: @autoclosure () -> Bool, _ what: String, file: StaticString = #file, line: UInt = #line) {
    precondition(holds(), what, file: file, line: line)
}

extension [UInt8] {
    /// The first byte chooses, the rest is the input.
    var choice: (number: UInt8, rest: [UInt8]) { (first ?? 0, Array(dropFirst())) }

    /// Text, whatever the bytes.
    var text: String { String(decoding: self, as: UTF8.self) }
}
