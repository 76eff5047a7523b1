import EventModel
import HTTPModel
import Signing
import Testing

@testable import Access

@Suite("BrowserCookie")
struct BrowserCookieTests {
    private func request(
        host: String = "127.0.0.1:8766",
        cookie: String? = nil,
        origin: String? = nil
    ) -> HTTPRequest {
        var headers: HTTPHeaders = ["host": host]
        headers["cookie"] = cookie
        headers["origin"] = origin
        return HTTPRequest(method: .get, path: "/ws", headers: headers)
    }

    @Test("it is found among others, by the port of the server")
    func found() {
        let request = request(cookie: "a=b; monitor_session_8766=cmr_x; c=d")
        #expect(BrowserCookie(in: request) == BrowserCookie(refreshToken: "cmr_x"))
        #expect(BrowserCookie(in: self.request(cookie: "monitor_session_9000=cmr_x")) == nil)
        #expect(BrowserCookie(in: self.request()) == nil)
        #expect(BrowserCookie.name(for: self.request(host: "monitor.example.com")) == "monitor_session")
        #expect(BrowserCookie.name(for: self.request(host: "[::1]")) == "monitor_session")
        #expect(BrowserCookie.name(for: self.request(host: "[::1]:80")) == "monitor_session_80")
    }

    @Test("it is for HTTP and this site alone, and for TLS beyond loopback")
    func attributes() {
        let cookie = BrowserCookie(refreshToken: "cmr_x")
        let plain = cookie.header(for: request(), path: "/", seconds: 60)
        #expect(plain == "monitor_session_8766=cmr_x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict")
        for host in ["monitor.example.com", "192.168.1.7:8766", "localhost.example.com", "127.0.0.1.example.com"] {
            #expect(cookie.header(for: request(host: host), path: "/", seconds: 60).hasSuffix("; Secure"))
        }
        let proxied = request(host: "localhost", origin: "https://localhost")
        #expect(cookie.header(for: proxied, path: "/", seconds: 60).hasSuffix("; Secure"))
    }

    @Test("it opens no socket, whatever its page")
    func opensNothing() throws {
        let key = try ES256PrivateKey.generate()
        let gate: Authenticator.DeviceGate = (DeviceTokens(key: key), { Timestamp(microseconds: 0) })
        let authenticator = Authenticator(
            adminToken: "an admin token",
            gate: gate,
            tickets: try DeviceTickets(key: key)
        )
        let request = request(cookie: "monitor_session_8766=cmr_x", origin: "http://127.0.0.1:8766")
        let error = #expect(throws: APIError.self) { try authenticator.authorizeSocket(request, for: .read) }
        #expect(error?.code == "missing_api_key")
    }
}
