import Testing

@testable import PrivateCluster

@Suite("PostgreSQL installation")
struct PostgresInstallationTests {
    private let installed = [17, 15].map { PostgresInstallation(binaryDirectory: "/\($0)", majorVersion: $0) }

    @Test(
        "the major version is read from the banner",
        arguments: [
            ("pg_ctl (PostgreSQL) 15.12 (Debian 15.12-0+deb12u2)\n", 15), ("pg_ctl (PostgreSQL) 18beta1\n", 18),
            ("pg_ctl (PostgreSQL) \n", nil), ("something else 15", nil),
        ] as [(String, Int?)]
    )
    func banner(text: String, expected: Int?) {
        #expect(PostgresInstallation.majorVersion(inBanner: text) == expected)
    }

    @Test("a new cluster takes the preferred version, an old one its own")
    func choice() throws {
        #expect(try PostgresInstallation.choose(from: installed, clusterVersion: nil)?.majorVersion == 17)
        #expect(try PostgresInstallation.choose(from: installed, clusterVersion: 15)?.majorVersion == 15)
        #expect(try PostgresInstallation.choose(from: [], clusterVersion: 15) == nil)
    }

    @Test("the error names the cluster's version and all that is installed")
    func mismatch() {
        #expect(throws: PrivateClusterError.versionMismatch(cluster: 16, installed: [17, 15])) {
            try PostgresInstallation.choose(from: installed, clusterVersion: 16)
        }
    }
}
