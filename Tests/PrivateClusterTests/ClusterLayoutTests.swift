import Testing

@testable import PrivateCluster

@Suite("Cluster layout")
struct ClusterLayoutTests {
    @Test("the socket stays in the cluster up to the last byte that an address holds")
    func longestAddress() {
        let longest = "/" + String(repeating: "d", count: 93 - 1 - "/socket".count)
        let inside = ClusterLayout(directory: longest, temporaryDirectory: "/tmp")
        #expect(inside.ownsSocketDirectory)
        #expect((inside.socketDirectory + "/.s.PGSQL.5432").utf8.count == 107)
        let outside = ClusterLayout(directory: longest + "d", temporaryDirectory: "/tmp")
        #expect(!outside.ownsSocketDirectory)
        #expect(outside.socketDirectory.hasPrefix("/tmp/claude-monitor-"))
    }

    @Test("the name made of a path never changes: FNV-1a's published values")
    func stableName() {
        #expect(ClusterLayout.stableName(of: "") == "cbf29ce484222325")
        #expect(ClusterLayout.stableName(of: "a") == "af63dc4c8601ec8c")
        #expect(ClusterLayout.stableName(of: "foobar") == "85944171f73967e8")
    }

    @Test("the connection string names host, port, user and database, quoted")
    func connectionString() {
        let layout = ClusterLayout(directory: "/srv/it's", temporaryDirectory: "/tmp")
        #expect(layout.connectionString() == #"host='/srv/it\'s/socket' port=5432 user=monitor_server dbname=monitor"#)
    }
}
