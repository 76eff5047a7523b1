internal import HTTPModel

/// The closing handshake (RFC 6455 section 7.1), and input after the end.
///
/// If a socket is closed while it holds unread input, the kernel resets the connection. The reset overtakes data that
/// the client has not read yet, so the client would not learn why it was refused. Input is therefore read and dropped
/// until the client ends the connection, for a bounded time and number of bytes.
extension NetworkLoop {
    /// Loop thread only. Sends the waiting data first. A peer that does not read it is disconnected after
    /// `closeSeconds`. `closed` follows when the close frame has been sent. A streamed response is cut off after the
    /// waiting data; a chunked one then lacks its last chunk. At most 123 bytes of `reason` are sent.
    public func close(_ id: ChannelID, code: UInt16, reason: String) {
        guard let connection = channels[id], let lws = connection.lws, case .channel(let channel) = connection.mode,
            channel.closing == nil, !channel.isClosedByPeer
        else { return }
        channel.closing = channel.closesQuietly ? (code == 1001 ? 1012 : code, "") : (code, reason)
        channel.producer?.cancel()
        channel.resumeWriters(.failure(StreamEnded()))
        connection.closingFrames = channel.frames
        connection.dropBudget = configuration.closeDropBytes
        setDeadline(second + configuration.closeSeconds, of: connection)
        // Sent at once, because a client that ends in the same turn is closed before "writeable" comes.
        if channel.backlog.isEmpty, !sayClose(channel, lws) {
            lws.closeSoon()
            return
        }
        lws.askWriteable()
        limitReading(connection, lws)
    }

    /// Loop thread only. For a client that takes a reason, or 1001, for a failure and does not connect again. Every
    /// later close frame of the channel has no reason, and 1012 (service restart) in place of 1001 (going away).
    public func closeQuietly(_ id: ChannelID) {
        guard case .channel(let channel)? = channels[id]?.mode else { return }
        channel.closesQuietly = true
    }

    /// Sends the close frame of a WebSocket, once. Returns false if the connection is broken.
    func sayClose(_ channel: Channel, _ lws: LWSConnection) -> Bool {
        guard let closing = channel.closing, channel.isSocket, !channel.hasSaidClose else { return true }
        channel.hasSaidClose = true
        let frame = CloseFrame.bytes(code: closing.code, reason: closing.reason)
        return lws.write(frame, count: frame.count)
    }

    /// The kernel has the close frame. The channel is over; its connection stays until the peer ends.
    func leave(_ channel: Channel, _ connection: Connection) {
        channels[channel.id] = nil
        pings.remove(channel.id)
        connection.mode = .draining
        // The client's answer to the close frame cannot be found any more, so the connection ends now.
        if connection.closingFrames == nil { connection.lws?.endOutput() }
        setDeadline(second + (isStopping ? 1 : configuration.closeSeconds), of: connection)
        reportClosed(channel)
    }

    /// The result is for the callback that is running.
    func drop(_ count: Int, _ connection: Connection) -> Int32 {
        connection.dropBudget -= count
        return connection.dropBudget > 0 ? 0 : -1
    }

    /// Drops the input of a closed WebSocket up to the client's answer to the close frame.
    func dropFrames(_ bytes: ArraySlice<UInt8>, _ connection: Connection) -> Int32 {
        if connection.closingFrames != nil {
            do throws(FrameReader.Fault) {
                var rest = bytes
                while let event = try connection.closingFrames?.next(&rest) {
                    guard case .close = event else { continue }
                    // Our close frame may still be waiting.
                    guard case .channel(let channel) = connection.mode, !channel.hasSaidClose else { return -1 }
                    connection.closingFrames = nil
                }
            } catch {
                connection.closingFrames = nil
            }
        }
        return drop(bytes.count, connection)
    }

    /// The client has sent its close frame first. It is answered with the same code, and nothing follows the answer
    /// (RFC 6455 section 5.5.1).
    func peerClosed(code: UInt16?, _ channel: Channel, _ connection: Connection, _ lws: LWSConnection) {
        channel.isClosedByPeer = true
        channel.backlog.dropQueue()
        let answer = code.map { CloseFrame.bytes(code: $0, reason: "") } ?? CloseFrame.empty
        _ = lws.write(answer, count: answer.count)
        channels[channel.id] = nil
        pings.remove(channel.id)
        reportClosed(channel)
        end(connection, lws)
    }
}

enum CloseFrame {
    static let empty: [UInt8] = [0x88, 0]

    /// Returns an unmasked frame, as a server sends it. A control frame carries at most 125 bytes (RFC 6455 section
    /// 5.5).
    static func bytes(code: UInt16, reason: String) -> [UInt8] {
        let text = reason.utf8.prefix(123)
        return [0x88, UInt8(2 + text.count), UInt8(code >> 8), UInt8(code & 255)] + text
    }
}
