import HTTPModel
import Testing

@testable import Listener

@Suite struct RequestGateTests {
    private let gate = RequestGate(
        names: NameRules(allowedHosts: [], allowedOrigins: [], boundHosts: ["10.0.0.1", "fe80::1", "0.0.0.0"]),
        subprotocols: ["cdev"]
    )

    private func facts(_ change: (inout RequestFacts) -> Void = { _ in }) -> RequestFacts {
        var facts = RequestFacts()
        facts.method = .get
        facts.version = "HTTP/1.1"
        facts.host = "localhost"
        change(&facts)
        return facts
    }

    private func status(_ facts: RequestFacts) -> Int? {
        if case .failure(let error) = gate.check(facts) { error.status } else { nil }
    }

    @Test func aPlainGetPasses() throws {
        #expect(try gate.check(facts()).get() == Passage())
    }

    @Test func aBodyHasItsLength() throws {
        let passage = try gate.check(
            facts {
                $0.method = .post; $0.contentLength = "42"; $0.expect = "100-Continue"
            }
        ).get()
        #expect(passage == Passage(bodyLength: 42, closes: false, expectsContinue: true))
    }

    @Test func whoClosesDependsOnTheVersion() throws {
        #expect(try gate.check(facts { $0.connection = "foo, Close" }).get().closes)
        #expect(try gate.check(facts { $0.version = "HTTP/1.0" }).get().closes)
        #expect(
            try !gate.check(
                facts {
                    $0.version = "HTTP/1.0"; $0.connection = "Keep-Alive"
                }
            ).get().closes
        )
    }

    @Test(arguments: ["", " 3", "3 ", "+3", "-3", "3,3", "0x3", "3.0", "٣", "12345678901"])
    func aLengthIsDigitsOnly(_ text: String) {
        #expect(RequestGate.contentLength(text) == nil)
    }

    @Test func unknownMethodsAreNotImplemented() {
        #expect(status(facts { $0.method = nil }) == 501)
    }

    @Test(arguments: [("HTTP/2.0", 505), ("HTTP/1.2", 505), ("", 400), ("b HTTP/1.1", 400), ("\u{0}", 400)])
    func theVersionIsThatOfThisProtocol(version: String, expected: Int) {
        #expect(status(facts { $0.version = version }) == expected)
    }

    @Test func boundAddressesAreAllowedAndWildcardsAreNot() {
        #expect(status(facts { $0.host = "10.0.0.1:80" }) == nil)
        #expect(status(facts { $0.host = "[FE80::1]:80" }) == nil)
        #expect(status(facts { $0.host = "0.0.0.0" }) == 421)
        #expect(
            status(
                facts {
                    $0.host = "0.0.0.0"; $0.isLocal = true
                }
            ) == nil
        )
        #expect(status(facts { $0.origin = "http://10.0.0.1" }) == nil)
        #expect(
            status(
                facts {
                    $0.isLocal = true; $0.origin = "http://evil.example"
                }
            ) == 403
        )
    }

    @Test(arguments: [
        ("monitor.example", "https://Monitor.Example", nil as Int?),
        ("monitor.example:81", "http://monitor.example:81", nil),
        ("monitor.example", "https://monitor.example:81", 403), ("monitor.example:81", "http://monitor.example", 403),
        ("localhost", "https://monitor.example", 403), ("evil.example", "http://evil.example", 421),
    ])
    func aPageOfTheVeryHostThatItCallsIsNotForeign(host: String, origin: String, expected: Int?) {
        let gate = RequestGate(
            names: NameRules(allowedHosts: ["monitor.example"], allowedOrigins: [], boundHosts: []),
            subprotocols: []
        )
        func status(isLocal: Bool) -> Int? {
            let facts = facts {
                $0.host = host; $0.origin = origin; $0.isLocal = isLocal
            }
            return if case .failure(let error) = gate.check(facts) { error.status } else { nil }
        }
        #expect(status(isLocal: false) == expected)
        // A name that nobody has checked makes no origin good.
        #expect(status(isLocal: true) == (expected == 421 ? 403 : expected))
    }

    @Test(arguments: [
        "a b", "localhost@evil", "localhost/", "localhost:80:80", "localhost:x", ":80", "[::1", "[::1]x", "a,b",
    ])
    func whatIsNoAuthorityIsNoName(_ text: String) {
        #expect(NameRules.name(ofAuthority: text) == nil)
    }

    @Test func upgradesNeedEveryPart() {
        let good = facts {
            $0.upgrade = "WebSocket"
            $0.connection = "keep-alive, Upgrade"
            $0.webSocketVersion = "13"
            $0.webSocketKey = "dGhlIHNhbXBsZSBub25jZQ=="
            $0.offeredSubprotocols = "x,  cdev "
        }
        func status(_ change: (inout RequestFacts) -> Void) -> Int? {
            var facts = good
            change(&facts)
            return gate.checkUpgrade(facts)?.status
        }
        #expect(status { _ in } == nil)
        #expect(status { $0.upgrade = "h2c" } == 400)
        #expect(status { $0.connection = "upgraded" } == 400)
        #expect(status { $0.webSocketVersion = "14" } == 426)
        #expect(status { $0.webSocketKey = "short==" } == 400)
        #expect(status { $0.offeredSubprotocols = "x" } == 400)
        #expect(status { $0.offeredSubprotocols = nil } == nil)
        #expect(status { $0.method = .post } == 400)
        #expect(status { $0.contentLength = "1" } == 400)
        #expect(status { $0.hasTransferEncoding = true } == 400)
    }

    @Test func aBodyIsAnnouncedWhereTheLibraryLooksForOne() {
        #expect(!facts().announcesBody)
        #expect(facts { $0.method = .post }.announcesBody)
        #expect(
            !facts {
                $0.method = .post; $0.contentLength = "0"
            }.announcesBody
        )
        #expect(facts { $0.contentLength = "-1" }.announcesBody)
    }
}
