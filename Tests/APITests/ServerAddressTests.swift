import HTTPModel
import Testing

@testable import API

struct ServerAddressTests {
    private func address(_ host: String, isSecure: Bool = false) -> ServerAddress {
        var request = HTTPRequest(method: .get, path: "/", requestID: "1")
        request.headers["host"] = host
        return ServerAddress(request, isSecure: isSecure)
    }

    @Test(
        "the port that cdev's app adds to local addresses is left out for it",
        arguments: [
            ("192.168.1.5:16180", "192.168.1.5"), ("localhost:16180", "localhost"), ("mac.local:16180", "mac.local"),
            ("192.168.1.5:8766", "192.168.1.5:8766"), ("monitor.example.com:16180", "monitor.example.com:16180"),
            ("192.168.1.5", "192.168.1.5"), ("1.2.3.256:16180", "1.2.3.256:16180"), ("[::1]:16180", "[::1]:16180"),
        ]
    )
    func shortened(host: String, shown: String) { #expect(address(host).shortened.authority == shown) }

    @Test("with TLS the port stays")
    func secure() { #expect(address("192.168.1.5:16180", isSecure: true).shortened.authority == "192.168.1.5:16180") }
}
