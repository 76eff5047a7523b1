import Testing

@testable import PrivateCluster

@Suite("Server settings")
struct ServerSettingsTests {
    @Test(
        "shared buffers are an eighth of the memory between 16 and 256 MB",
        arguments: [(UInt64(64) << 20, 16), (UInt64(1) << 30, 128), (UInt64(2) << 30, 256), (UInt64(64) << 30, 256)]
            as [(UInt64, UInt64)]
    )
    func sharedBuffers(memory: UInt64, megabytes: UInt64) {
        let settings = ServerSettings(socketDirectory: "/s", logDirectory: "/l", memory: memory)
        #expect(settings.sharedBuffers == megabytes)
        #expect(settings.text.contains("shared_buffers = \(megabytes)MB\n"))
    }

    @Test("quotes in paths are doubled")
    func quoting() {
        let settings = ServerSettings(socketDirectory: "/it's", logDirectory: "/it's", memory: 1 << 30)
        #expect(settings.text.contains("unix_socket_directories = '\"/it''s\"'\n"))
        #expect(settings.text.contains("log_directory = '/it''s'\n"))
    }
}
