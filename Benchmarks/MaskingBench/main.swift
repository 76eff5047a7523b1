// CPU per event of ingest, with its masking, over hook payloads in files, and how long hostile texts take: medians of
// five.
//
//     MaskingBench DIRECTORY [SECONDS [ONLY]]
//
// DIRECTORY holds one hook's object in each file *.json. ONLY is a content policy or the name of a hostile text.
// Two builds are compared by running them in turn.

import EventIngest
import EventModel
import Foundation
import HTTPModel
import Masking

private let machine = MachineID(rawValue: 1)
private let now = Timestamp(microseconds: 1_770_000_000_000_000)

private func decode(_ body: [UInt8], _ decoder: IngestDecoder) throws -> Int {
    try decoder.decodeHook(
        body: body,
        contentType: "application/json",
        contentEncoding: nil,
        machine: machine,
        machineName: "bench",
        now: now
    ).payload.count
}

/// CPU seconds of this process.
private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func hostile() -> [(name: String, text: String)] {
    [
        ("prefix characters", "sk-"), ("prefix characters, words", "ghp_ "), ("quotes", "\""), ("escapes", "\\"),
        ("nested escapes", "\\\\\\\""), ("escaped line breaks", "\\\\n"), ("private key marks", "-----BEGIN "),
        ("private keys", "-----BEGIN PRIVATE KEY-----"), ("equals signs", "="), ("colons", ":"), ("names", "a_key="),
        ("passwords", "password="), ("quoted values", "value:\""), ("pairs", "name:token value:"), ("urls", "a://b:"),
        ("colours", "\u{1B}[31m"), ("colours without letters", "\u{1B}["), ("percent signs", "%3D"), ("hyphens", "-"),
        ("options", " --token"), ("tokens", "eyJ."), ("logins", "login a password "), ("blocks", "token: |\n a"),
        ("ports", "h:5432:"), ("cookies", "cookie: "), ("bearers", "bearer "), ("capitals", "M.N.O."),
    ]
}

guard CommandLine.arguments.count > 1 else { fatalError("usage: MaskingBench DIRECTORY [SECONDS]") }
let directory = CommandLine.arguments[1]
let seconds = CommandLine.arguments.count > 2 ? Double(CommandLine.arguments[2]) ?? 3 : 3
let bodies = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }.sorted()
    .map { try [UInt8](Data(contentsOf: URL(fileURLWithPath: directory + "/" + $0))) }
private let only = CommandLine.arguments.count > 3 ? CommandLine.arguments[3] : nil
for policy in ContentPolicy.allCases where only == nil || only == policy.rawValue {
    let decoder = IngestDecoder(configuration: IngestConfiguration(contentPolicy: policy))
    let usable = bodies.filter { (try? decode($0, decoder)) != nil }
    var events = 0
    var bytes = 0
    let start = processorTime()
    repeat {
        for body in usable { bytes += try decode(body, decoder) }
        events += usable.count
    } while processorTime() - start < seconds
    let each = (processorTime() - start) / Double(events) * 1e9
    print("\(policy.rawValue): \(Int(each)) ns CPU an event, \(usable.count) payloads, \(bytes / events) bytes stored")
}
for (name, unit) in hostile() where only == nil || only == name {
    let text = [UInt8](String(repeating: unit, count: (4 << 20) / unit.utf8.count).utf8)
    var left = 0
    let times = (0..<5).map { _ in
        let start = processorTime()
        left = SecretMasker.masked(text).count
        return processorTime() - start
    }.sorted()
    print("4 MiB of \(name): \(Int(times[2] * 1000)) ms, \(left) bytes left")
}
