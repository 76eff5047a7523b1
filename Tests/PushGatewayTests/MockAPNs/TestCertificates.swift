import Foundation

/// A certificate authority and server certificates, made once by the openssl command in a directory of their own.
struct TestCertificates: Sendable {
    let directory: String
    var ca: String { directory + "/ca.pem" }
    var otherCA: String { directory + "/other-ca.pem" }

    struct Server: Sendable {
        let certificate: String
        let key: String
    }

    enum Kind: String {
        /// For `localhost` and 127.0.0.1.
        case good
        /// For another name.
        case wrongHost
    }

    /// Removed when the tests end.
    static let shared: Result<TestCertificates, any Error> = {
        let made = Result { try TestCertificates() }
        atexit {
            if case .success(let certificates) = TestCertificates.shared {
                try? FileManager.default.removeItem(atPath: certificates.directory)
            }
        }
        return made
    }()

    private init() throws {
        directory = NSTemporaryDirectory() + "push-certificates-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for name in ["ca", "other-ca"] {
            try openssl(
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=\(name)",
                "-keyout",
                path("\(name).key"),
                "-out",
                path("\(name).pem")
            )
        }
        try makeServer("good", names: "DNS:localhost,IP:127.0.0.1")
        try makeServer("wrongHost", names: "DNS:elsewhere.test")
    }

    private func makeServer(_ name: String, names: String) throws {
        try openssl(
            "req",
            "-new",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            "/CN=\(name)",
            "-addext",
            "subjectAltName=\(names)",
            "-keyout",
            path("\(name).key"),
            "-out",
            path("\(name).csr")
        )
        try openssl(
            "x509",
            "-req",
            "-in",
            path("\(name).csr"),
            "-CA",
            path("ca.pem"),
            "-CAkey",
            path("ca.key"),
            "-CAcreateserial",
            "-days",
            "2",
            "-copy_extensions",
            "copyall",
            "-out",
            path("\(name).pem")
        )
    }

    func server(_ kind: Kind) -> Server {
        Server(certificate: path("\(kind.rawValue).pem"), key: path("\(kind.rawValue).key"))
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw MockFailure("openssl \(arguments[0]) failed") }
    }
}

struct MockFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
