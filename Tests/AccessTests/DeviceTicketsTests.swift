import EventModel
import HTTPModel
import Signing
import Testing

@testable import Access

@Suite("DeviceTickets")
struct DeviceTicketsTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let device = DeviceID(rawValue: 7)
    private let rights = DeviceRights(name: "phone", owner: nil, grants: Grants([.read]))
    private let key: ES256PrivateKey
    private let tickets: DeviceTickets

    init() throws {
        key = try ES256PrivateKey.generate()
        tickets = try DeviceTickets(key: key)
    }

    private func claims(endingIn seconds: Double = 900) -> DeviceClaims {
        DeviceClaims(device: device, refusedFrom: now.adding(seconds: seconds))
    }

    private func authenticator(at time: Timestamp, active: Set<DeviceID>) -> Authenticator {
        let gate: Authenticator.DeviceGate = (DeviceTokens(key: key), { time })
        let authenticator = Authenticator(adminToken: "an admin token", gate: gate, tickets: tickets)
        let rights = Dictionary(uniqueKeysWithValues: active.map { ($0, self.rights) })
        authenticator.replaceDevices(rights, reading: authenticator.beginReadingDevices())
        return authenticator
    }

    private func upgrade(_ ticket: String, _ more: HTTPHeaders = [:]) -> HTTPRequest {
        var headers = more
        headers["sec-websocket-protocol"] = "jsonrpc, ticket.\(ticket)"
        return HTTPRequest(method: .get, path: "/ws", headers: headers)
    }

    @Test("it names the device and the end of its token, for 30 seconds, and fits into a list of 127 bytes")
    func issued() throws {
        let text = try tickets.issue(for: claims(), now: now)
        #expect("jsonrpc, ticket.\(text)".utf8.count < 127)
        #expect(tickets.verify(Substring(text), now: now)?.claims == claims())
        #expect(tickets.verify(Substring(text), now: now.adding(seconds: 29.9))?.claims == claims())
        #expect(tickets.verify(Substring(text), now: now.adding(seconds: 30)) == nil)
        #expect(try tickets.issue(for: claims(), now: now) != text)
    }

    @Test("it does not outlive the token it was given for")
    func outlived() throws {
        let text = try tickets.issue(for: claims(endingIn: 10), now: now)
        #expect(tickets.verify(Substring(text), now: now.adding(seconds: 9)) != nil)
        #expect(tickets.verify(Substring(text), now: now.adding(seconds: 10)) == nil)
    }

    @Test("a change of any character makes it void")
    func changed() throws {
        let text = Array(try tickets.issue(for: claims(), now: now))
        for index in text.indices {
            var other = text
            other[index] = other[index] == "A" ? "B" : "A"
            #expect(tickets.verify(Substring(String(other)), now: now) == nil)
        }
        for wrong in ["", "A", String(text) + "A", String(text.dropLast()), String(repeating: "A", count: 64)] {
            #expect(tickets.verify(Substring(wrong), now: now) == nil)
        }
    }

    @Test("a server with another key refuses it")
    func foreign() throws {
        let foreign = try DeviceTickets(key: ES256PrivateKey.generate())
        #expect(tickets.verify(Substring(try foreign.issue(for: claims(), now: now)), now: now) == nil)
    }

    @Test("it opens one socket, and only a socket")
    func once() throws {
        let authenticator = authenticator(at: now, active: [device])
        let request = upgrade(try tickets.issue(for: claims(), now: now))
        #expect(try authenticator.authorizeSocket(request, for: .read) == Principal(.device(claims(), rights)))
        #expect(throws: APIError.self) { try authenticator.authorizeSocket(request, for: .administer) }
        #expect(throws: APIError.self) { try authenticator.authorize(request, for: .read) }
        try authenticator.redeemTicket(in: request)
        let error = #expect(throws: APIError.self) { try authenticator.redeemTicket(in: request) }
        #expect(error?.status == 401 && error?.code == "invalid_ticket")
    }

    @Test("a header counts before it")
    func header() throws {
        let authenticator = authenticator(at: now, active: [device])
        let ticket = try tickets.issue(for: claims(), now: now)
        let request = upgrade(ticket, ["authorization": "Bearer an admin token"])
        #expect(try authenticator.authorizeSocket(request, for: .read) == .admin)
        #expect(throws: APIError.self) {
            try authenticator.authorizeSocket(upgrade(ticket, ["authorization": "Bearer no"]), for: .read)
        }
    }

    @Test("that of a revoked device is refused")
    func revoked() throws {
        let request = upgrade(try tickets.issue(for: claims(), now: now))
        let error = #expect(throws: APIError.self) {
            try authenticator(at: now, active: []).authorizeSocket(request, for: .read)
        }
        #expect(error?.code == "device_revoked")
    }

    @Test("at the bound none is accepted until those that were used have expired")
    func bound() {
        var used = UsedTickets()
        let ticket = { (number: UInt64) in
            DeviceTickets.Ticket(claims: claims(), expiresAt: now.adding(seconds: 30), number: number)
        }
        for number in 0..<UInt64(UsedTickets.capacity) { #expect(used.use(ticket(number), now: now) == .accepted) }
        #expect(used.use(ticket(0), now: now) == .repeated)
        #expect(used.use(ticket(1_000_000), now: now.adding(seconds: 29)) == .full)
        var fresh = ticket(2_000_000)
        fresh.expiresAt = now.adding(seconds: 60)
        #expect(used.use(fresh, now: now.adding(seconds: 31)) == .accepted)
    }
}
