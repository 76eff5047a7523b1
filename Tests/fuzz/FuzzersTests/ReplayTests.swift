import Foundation
import Testing

/// Runs each fuzzer on all inputs that failed before, on its seed corpus, and briefly on random mutations of both.
/// Coverage-guided mutation is left to libFuzzer, in Tests/fuzz/run.
///
/// A broken promise traps. The input is left in .build/fuzz/failed, where Tests/fuzz/run leaves its own.
@Suite(.serialized)
struct ReplayTests {
    private static let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    private static let failed = repository.appending(path: ".build/fuzz/failed")

    @Test(arguments: fuzzers.map(\.name))
    func noInputBreaksAPromise(_ name: String) throws {
        let fuzzer = try #require(fuzzers.first { $0.name == name })
        let inputs = try Corpus.shared.get().inputs(of: name)
        try #require(!inputs.isEmpty, "Tests/fuzz/seeds.py has no input for it")
        try FileManager.default.createDirectory(at: Self.failed, withIntermediateDirectories: true)
        let kept = Self.failed.appending(path: "replay-\(name)")
        func run(_ input: [UInt8]) throws {
            try Data(input).write(to: kept)
            fuzzer.run(input)
        }
        for input in inputs { try run(input) }
        let end = ContinuousClock.now + .milliseconds(300)
        let mutator = Mutator(inputs: inputs, words: try Corpus.shared.get().words)
        while ContinuousClock.now < end { try run(mutator.next()) }
        try FileManager.default.removeItem(at: kept)
    }

    /// The files that fuzzing begins with, read once.
    struct Corpus: Sendable {
        static let shared = Result { try Corpus() }

        let words: [[UInt8]]
        private let files: [String: [[UInt8]]]

        private init() throws {
            let seeds = FileManager.default.temporaryDirectory.appending(path: "seeds-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: seeds) }
            let python = Process()
            python.executableURL = URL(filePath: "/usr/bin/env")
            python.arguments = [
                "python3", "-B", repository.appending(path: "Tests/fuzz/seeds.py").path(), seeds.path(),
            ]
            try python.run()
            python.waitUntilExit()
            var files: [String: [[UInt8]]] = [:]
            for root in [seeds, repository.appending(path: "Tests/fuzz/found")] {
                for name in try FileManager.default.contentsOfDirectory(atPath: root.path()) {
                    let directory = root.appending(path: name)
                    for file in try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted() {
                        files[name, default: []].append(Array(try Data(contentsOf: directory.appending(path: file))))
                    }
                }
            }
            self.files = files
            let table = try String(contentsOf: repository.appending(path: "Tests/fuzz/words.dict"), encoding: .utf8)
            words = table.split(separator: "\n").filter { $0.hasPrefix("\"") }.map {
                Array($0.dropFirst().dropLast().utf8)
            }
        }

        func inputs(of name: String) -> [[UInt8]] { files[name] ?? [] }
    }
}
