import EventModel
import HTTPModel
import Signing
import Testing

@testable import Access

@Suite("BrowserCookie")
struct BrowserCookieTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let device = DeviceID(rawValue: 7)
    private let rights = DeviceRights(name: "browser", owner: nil, grants: Grants([.read]))
    private let key: ES256PrivateKey
    private let passes: DeviceTickets

    init() throws {
        key = try ES256PrivateKey.generate()
        passes = try DeviceTickets(key: key, for: .browser)
    }

    private var claims: DeviceClaims { DeviceClaims(device: device, refusedFrom: now.adding(seconds: 5_000_000)) }

    private func request(
        host: String = "127.0.0.1:8766",
        cookie: String? = nil,
        origin: String? = nil,
        isOwn: Bool = true
    ) -> HTTPRequest {
        var headers: HTTPHeaders = ["host": host]
        headers["cookie"] = cookie
        headers["origin"] = origin
        var request = HTTPRequest(method: .get, path: "/ws", headers: headers)
        request.readableOrigin = isOwn ? origin : nil
        return request
    }

    private func authenticator(at time: Timestamp) throws -> Authenticator {
        let gate: Authenticator.DeviceGate = (DeviceTokens(key: key), { time })
        let tickets = try DeviceTickets(key: key)
        let authenticator = Authenticator(adminToken: "an admin token", gate: gate, tickets: tickets, passes: passes)
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        return authenticator
    }

    @Test("it is found among others, by the port of the server")
    func found() {
        let request = request(cookie: "a=b; monitor_session_8766=cmr_x.pass; c=d")
        #expect(BrowserCookie(in: request) == BrowserCookie(refreshToken: "cmr_x", pass: "pass"))
        #expect(BrowserCookie(in: self.request(cookie: "monitor_session_9000=cmr_x.pass")) == nil)
        #expect(BrowserCookie(in: self.request(cookie: "monitor_session_8766=cmr_x")) == nil)
        #expect(BrowserCookie(in: self.request()) == nil)
        #expect(BrowserCookie.name(for: self.request(host: "monitor.example.com")) == "monitor_session")
        #expect(BrowserCookie.name(for: self.request(host: "[::1]")) == "monitor_session")
        #expect(BrowserCookie.name(for: self.request(host: "[::1]:80")) == "monitor_session_80")
    }

    @Test("it is for HTTP and this site alone, and for TLS beyond loopback")
    func attributes() {
        let cookie = BrowserCookie(refreshToken: "cmr_x", pass: "pass")
        let plain = cookie.header(for: request(), path: "/", seconds: 60)
        #expect(plain == "monitor_session_8766=cmr_x.pass; Path=/; Max-Age=60; HttpOnly; SameSite=Strict")
        for host in ["monitor.example.com", "192.168.1.7:8766", "localhost.example.com", "127.0.0.1.example.com"] {
            #expect(cookie.header(for: request(host: host), path: "/", seconds: 60).hasSuffix("; Secure"))
        }
        let proxied = request(host: "localhost", origin: "https://localhost")
        #expect(cookie.header(for: proxied, path: "/", seconds: 60).hasSuffix("; Secure"))
    }

    @Test("with the page's origin it opens sockets, any number of them, and nothing else")
    func opens() throws {
        let authenticator = try authenticator(at: now)
        let pass = try passes.issue(for: claims, now: now)
        let request = request(cookie: "monitor_session_8766=cmr_x.\(pass)", origin: "http://127.0.0.1:8766")
        for _ in 0..<3 {
            #expect(try authenticator.authorizeSocket(request, for: .read) == Principal(.device(claims, rights)))
            try authenticator.redeemTicket(in: request)
        }
        #expect(throws: APIError.self) { try authenticator.authorizeSocket(request, for: .administer) }
        #expect(throws: APIError.self) { try authenticator.authorize(request, for: .read) }
    }

    @Test("without the page's origin, or too late, it opens none")
    func refused() throws {
        let pass = try passes.issue(for: claims, now: now)
        let cookie = "monitor_session_8766=cmr_x.\(pass)"
        for foreign in [
            request(cookie: cookie), request(cookie: cookie, origin: "http://127.0.0.1:1", isOwn: false),
        ] {
            let error = #expect(throws: APIError.self) {
                try authenticator(at: now).authorizeSocket(foreign, for: .read)
            }
            #expect(error?.code == "origin_not_allowed")
        }
        let late = now.adding(seconds: Double(DeviceTickets.Purpose.browser.lifetimeSeconds))
        let error = #expect(throws: APIError.self) {
            try authenticator(at: late).authorizeSocket(request(cookie: cookie, origin: "http://x"), for: .read)
        }
        #expect(error?.code == "invalid_cookie")
    }

    @Test("a ticket is no pass, and a pass no ticket")
    func purposes() throws {
        let tickets = try DeviceTickets(key: key)
        #expect(passes.verify(Substring(try tickets.issue(for: claims, now: now)), now: now) == nil)
        #expect(tickets.verify(Substring(try passes.issue(for: claims, now: now)), now: now) == nil)
    }

    @Test("a credential in a header counts before it")
    func header() throws {
        var request = request(cookie: "monitor_session_8766=cmr_x.nothing")
        request.headers["authorization"] = "Bearer an admin token"
        #expect(try authenticator(at: now).authorizeSocket(request, for: .read) == .admin)
    }
}
