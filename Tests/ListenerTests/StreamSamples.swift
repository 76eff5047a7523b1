import HTTPModel

/// Producers of streamed bodies.
struct StreamSamples: Sendable {
    struct Failure: Error {}

    let journal: Journal

    func stream(_ request: HTTPRequest) -> BodyStream {
        switch request.path {
        case "/pieces": pieces(request.query)
        case "/endless": endless
        case "/flood": flood
        default: quiet
        }
    }

    private func pieces(_ query: String) -> BodyStream {
        { writer in
            guard let count = Int(query) else { throw Failure() }
            for number in 0..<count { try await writer.write(Array("piece \(number)\n".utf8)) }
            try await writer.write([])
        }
    }

    private var endless: BodyStream {
        { writer in
            let piece = [UInt8](repeating: 66, count: 64 * 1024)
            do {
                while true {
                    try await writer.write(piece)
                    journal.add("wrote")
                }
            } catch {
                journal.add("stream ended")
                throw error
            }
        }
    }

    /// Many writes at once.
    private var flood: BodyStream {
        { writer in
            let piece = [UInt8](repeating: 66, count: 16 * 1024)
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<1000 { group.addTask { try await writer.write(piece) } }
                    try await group.waitForAll()
                }
            } catch {
                journal.add("flood ended")
                throw error
            }
        }
    }

    private var quiet: BodyStream {
        { writer in
            journal.add("quiet")
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                journal.add("cancelled")
                throw error
            }
        }
    }
}
