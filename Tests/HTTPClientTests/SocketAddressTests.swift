import Testing

@testable import HTTPClient

@Suite("SocketAddress")
struct SocketAddressTests {
    @Test("numeric addresses are taken, names are not")
    func numeric() {
        #expect(SocketAddress(address: "127.0.0.1", port: 443)?.description == "127.0.0.1:443")
        #expect(SocketAddress(address: "::1", port: 443)?.description == "[::1]:443")
        for text in ["", "localhost", "1.2.3", "127.0.0.1 ", "fe80::1%lo"] {
            #expect(SocketAddress(address: text, port: 1) == nil)
        }
    }

    @Test("the resolver knows this machine, and tells what it does not know")
    func resolve() {
        let addresses = SocketAddress.resolve(host: "127.0.0.1", port: 2197)
        #expect(addresses.map(\.bytes) == [SocketAddress(address: "127.0.0.1", port: 2197)].compactMap { $0?.bytes })
        #expect(SocketAddress.resolve(host: "no such host.invalid", port: 1) == [])
    }
}
