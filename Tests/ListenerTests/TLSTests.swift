import Foundation
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct TLSTests {
    /// The directory holds `cert.pem` and `key.pem` while the body runs.
    private func withCertificate(_ body: (String) async throws -> Void) async throws {
        let directory = temporaryPath("tls")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        _ = try run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                directory + "/key.pem", "-out", directory + "/cert.pem",
            ]
        )
        try await body(directory)
    }

    @Test func waitsAndStreams() async throws {
        try await withCertificate { directory in
            try await withLoop(configure: {
                $0.tls = .init(certificatePath: directory + "/cert.pem", keyPath: directory + "/key.pem")
                $0.answerSeconds = 1
            }) { _, addresses, journal in
                guard case .tcp(_, let port) = addresses[0] else { return }
                let url = "https://localhost:\(port)"
                let base = ["-sS", "--max-time", "60", "--cacert", directory + "/cert.pem"]
                let waited = try run("/usr/bin/curl", base + ["\(url)/wait?3", "\(url)/pieces?3", "\(url)/echo"])
                #expect(waited == "nothing yetfirst\npiece 0\npiece 1\npiece 2\nGET /echo? 0")
                #expect(journal.all.filter { $0.hasPrefix("ended") } == ["ended deadline"])
                try await leave(base + ["\(url)/wait?30"], once: "waiting", times: 2, journal)
                try await journal.wait(for: "ended clientGone")
                try await leave(base + ["\(url)/quiet"], once: "quiet", times: 1, journal)
                try await journal.wait(for: "cancelled")
            }
        }
    }

    /// A client that ends when the server has its request.
    private func leave(_ arguments: [String], once entry: String, times: Int, _ journal: Journal) async throws {
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        client.arguments = arguments
        client.standardOutput = FileHandle.nullDevice
        client.standardError = FileHandle.nullDevice
        try client.run()
        defer {
            // The client can have inherited a blocked SIGTERM.
            kill(client.processIdentifier, SIGKILL)
            client.waitUntilExit()
        }
        try await journal.wait(for: entry, times: times)
    }

    @Test func speaksTLSAndOnlyHTTP1() async throws {
        try await withCertificate { directory in try await speaksTLSAndOnlyHTTP1(directory) }
    }

    private func speaksTLSAndOnlyHTTP1(_ directory: String) async throws {
        let key = directory + "/key.pem"
        let certificate = directory + "/cert.pem"
        let unix = ListenAddress.unix(path: temporaryPath("s"))
        try await withLoop(
            [.tcp(host: "127.0.0.1", port: 0), unix],
            configure: {
                $0.tls = .init(certificatePath: certificate, keyPath: key)
            }
        ) { _, addresses, _ in
            guard case .tcp(_, let port) = addresses[0] else { return }
            let body = directory + "/body"
            try Data(repeating: 65, count: 240_000).write(to: URL(fileURLWithPath: body))
            let url = "https://localhost:\(port)"
            let base = ["-sS", "--max-time", "60", "--cacert", certificate, "--http2"]
            let text = try run(
                "/usr/bin/curl",
                base + ["-w", " %{http_version}", "\(url)/later", "--data-binary", "@\(body)", "\(url)/echo"]
            )
            #expect(text == "POST /later? 240000 1.1POST /echo? 240000 1.1")
            let big = try run(
                "/usr/bin/curl",
                base + ["-o", directory + "/out", "-w", "%{size_download}", "\(url)/big?n=3000000"]
            )
            #expect(big == "3000000")
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: directory + "/out"))
                    == Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            )
            // Both in one record.
            let close = "Host: localhost\\r\\nConnection: close\\r\\n"
            let post = "POST /echo HTTP/1.1\\r\\n\(close)Content-Length: 4\\r\\n\\r\\nbody"
            let both = "GET /echo HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" + post
            let script = "printf '\(both)' | timeout 20 openssl s_client -quiet -connect 127.0.0.1:\(port)"
            let answers = try run("/bin/sh", ["-c", script], mayFail: true)
            #expect(answers.components(separatedBy: "HTTP/1.1 200").count == 3 && answers.hasSuffix("POST /echo? 4"))
            #expect(try !handshake("ECDHE-ECDSA-AES128-SHA", port))
            #expect(try handshake("ECDHE-ECDSA-AES128-GCM-SHA256", port))
            let old = try run(
                "/usr/bin/curl",
                base + ["--tls-max", "1.1", "-o", "/dev/null", "-w", "%{http_code}", "\(url)/echo"],
                mayFail: true
            )
            #expect(old.hasPrefix("000"))
            #expect(try RawClient(addresses[1]).get("/echo").status == 200)
        }
    }

    /// Connects with TLS 1.2 and offers one cipher.
    private func handshake(_ cipher: String, _ port: UInt16) throws -> Bool {
        let client = "timeout 20 openssl s_client -tls1_2 -cipher \(cipher) -connect 127.0.0.1:\(port) </dev/null"
        return try run("/bin/sh", ["-c", client], mayFail: true).contains("Cipher    : \(cipher)")
    }

    private func run(_ program: String, _ arguments: [String], mayFail: Bool = false) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        if !mayFail, process.terminationStatus != 0 {
            throw RawClient.Failure(description: "\(program) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
