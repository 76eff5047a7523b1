/// The behaviour of libwebsockets 4.1.6 (Debian 12) that the listener works around. The code that does so is in this
/// folder or names the case in a comment. Each case states what the library does, the tests that cover it, and when the
/// workaround can go.
///
/// The cases are names only. Check each of them when the library's version changes.
enum Quirk {
    /// The HTTP parser is lenient to the point of request smuggling, and its upgrade path uses memory after freeing it
    /// (CVE-2025-11677). So every connection has the raw role: the library reads and writes bytes, and `RequestReader`,
    /// `RequestHeadParser` and `FrameReader` parse them.
    /// Test: GateTests.eachDoubtfulRequestIsRefusedAndTheConnectionClosed
    /// Test: GateTests.anUnknownUpgradeOnAKeptConnectionIsHarmless
    /// Test: GateTests.anOfferOfH2CIsIgnored
    /// Goes: not planned. The parsers here are strict by design.
    case lenientParser

    /// In the raw role the library keeps polling for input that it does not read while it holds output, so the loop
    /// would spin. `limitReading` switches reading off as soon as a byte waits.
    /// Test: StreamTests.aWaitingConnectionDoesNotSpin
    /// Goes: when the raw role stops polling for input behind `lws_partial_buffered`.
    case pollsUnreadInput

    /// A connection whose reading is off does not show that its peer has ended. `closeAbandoned` asks the kernel.
    /// Test: WaitTests.theHandlerLearnsThatTheClientHasGone
    /// Goes: with `pollsUnreadInput`, if the library then reports `EPOLLRDHUP`.
    case hidesTheEndWhileUnread

    /// The library reports when all of a write has been sent, but not how much of it. A slow reader may need minutes
    /// for one large frame. Therefore `hasProgressed` reads from the kernel how many bytes the peer has acknowledged.
    /// Test: StallTests.aSlowReaderOfALargeFrameIsNotCutOff
    /// Goes: when the library reports the size of what it holds.
    case hidesWriteProgress

    /// `lws_write` makes each send more expensive. A socket with nothing waiting is therefore written to directly
    /// (`LWSConnection.socket`); the library gets what the kernel did not accept. Not with TLS.
    /// Test: AnswerTests.aPartlySentAnswerIsResumedWhenTheClientReadsAgain
    /// Goes: when measurements in docs/performance.md show no difference.
    case slowWrite

    /// The libev plugin serves due timers and held input only in turns without events, so a busy loop would never serve
    /// them. `PendingWork` serves them through private symbols of the library.
    /// Test: BusyLoopTests.aBusyLoopKeepsItsDeadlines
    /// Test: BusyLoopTests.aBusyLoopServesInputThatTheLibraryHolds
    /// Goes: when the plugin does so itself. Libraries that hide the symbols do not link.
    case servesHeldWorkOnlyWhenIdle

    /// All timers are in one sorted list, which is walked each time a timer is set. The deadlines of connections and
    /// the pings are on a `TimingWheel` instead. The library's timers are used for TLS handshakes and for closing.
    /// Test: GateTests.anIdleConnectionIsClosed
    /// Goes: when the library has a heap or a wheel (docs/performance.md has the cost).
    case timersInOneList

    /// The plugin does not move a started timer to an earlier time. The loop's tick is a timer of libev's own.
    /// Test: LifecycleTests.stopWaitsForAnswersAndThenSays503
    /// Goes: when `lws_sul_schedule` takes effect for an earlier time.
    case doesNotMoveTimersForward

    /// The raw role closes without a `close_notify`, and without shutting down its output first. A client that is still
    /// sending would be reset before it has read the answer. `endOutput` does both.
    /// Test: TLSTests.speaksTLSAndOnlyHTTP1
    /// Test: HTTPTests.refusalIsReadableEvenIfTheClientSendsOn
    /// Goes: when the raw role has a graceful close.
    case closesWithoutAnEnd

    /// A connection may be closed by the result of its own callback, but not from anywhere else. `closeSoon` sets a
    /// timeout that has already expired.
    /// Test: HTTPTests.anOverdueAnswerIs503
    /// Goes: when the library has a call for it.
    case closesOnlyFromItsCallback

    /// The timeout of the TLS handshake continues after the handshake. `stopTimeout` ends it when the first bytes
    /// arrive.
    /// Test: GateTests.aRequestRenewsTheIdleTime
    /// Goes: when the raw role ends it.
    case keepsTheHandshakeTimeout

    /// TLS begins with the first byte of an adopted socket, but a header of the PROXY protocol comes before it.
    /// `SocketWatcher` reads the header before the library gets the socket.
    /// Test: ProxyTests.theProxyProtocolComesFirst
    /// Goes: when the library reads that header.
    case startsTLSAtOnce

    /// `lws_b64_encode_string` asks for two bytes more than it writes.
    /// Test: WebSocketTests.echoes
    /// Goes: when its documentation says so.
    case base64WantsMoreRoom

    /// Each connection has a validity timer unless the context's policy is all zero, and the timer may follow a bad
    /// pointer. `PingSchedule` pings instead.
    /// Test: StallTests.aSilentPeerIsPingedAndCutOff
    /// Goes: not planned.
    case validityTimer

    /// The library's notices quote what clients have sent. `LibraryLog` accepts errors and warnings only.
    /// Test: none. The library's notices are switched off.
    /// Goes: not planned.
    case logsWhatClientsSend
}
