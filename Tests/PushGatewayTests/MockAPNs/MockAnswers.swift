import CNghttp2
import EventModel
import JSON
import Signing

extension MockConnection {
    /// Follows the script for the requests that are complete. Not from a callback.
    func answerComplete() {
        while !complete.isEmpty, !isClosed, !isStalled {
            var request = complete.removeFirst()
            guard request.stream <= lastAcceptedStream else { continue }
            mock.note { record in
                request.earlier = record.requests.count { $0.id == request.id }
                record.requests.append(request)
                let token = request["authorization"] ?? ""
                if record.tokens[number]?.last != token { record.tokens[number, default: []].append(token) }
            }
            let refusal = mock.script.authority.flatMap { auth.judge(request, $0) }
            if let refusal {
                mock.note { $0.tokenRefusals.append(refusal.reason) }
                perform([.error(refusal.status, refusal.reason)], for: request)
            } else {
                perform(mock.script.reply(request), for: request)
            }
            mock.note { $0.handled += 1 }
        }
    }

    private func perform(_ steps: [MockStep], for request: MockRequest) {
        let stream = request.stream
        count(steps, request.id)
        for step in steps where !isClosed {
            switch step {
            case .answer(let status, let body, let fields, let split):
                if status != 403, !isProven {
                    isProven = true
                    if let limit = mock.script.provenStreamLimit { announce(limit: limit) }
                }
                building[stream] = request
                submit(status, stream, body: body, fields: fields, split: split)
                building[stream] = nil
            case .interim: submitUnfinished(103, stream, interim: true)
            case .unfinished(let status): submitUnfinished(status, stream, interim: false)
            case .hold:
                held.insert(stream)
                mock.note { $0.held += 1 }
            case .reset(let code): nghttp2_submit_rst_stream(session, 0, stream, code)
            case .streamLimit(let limit): announce(limit: limit)
            case .goAway(let takesThis, let debug): goAway(last: takesThis ? stream : max(0, stream - 2), debug: debug)
            case .goAwayNotice: goAway(last: Int32.max, debug: "")
            case .disconnect(let abrupt): disconnect(abrupt: abrupt)
            case .stall: stall()
            case .raw(let bytes): write(raw: bytes)
            }
            flush()
        }
    }

    /// Tells apart what the client can know from what it cannot.
    private func count(_ steps: [MockStep], _ id: String) {
        var isAnswered = false
        var isUnprocessed = false
        for step in steps {
            switch step {
            case .answer, .unfinished: isAnswered = true
            case .reset(let code) where code == NGHTTP2_REFUSED_STREAM.rawValue: isUnprocessed = true
            case .goAway(let takesThis, _) where !takesThis: isUnprocessed = !isAnswered
            default: break
            }
        }
        mock.note { record in
            if !isUnprocessed { record.processed[id, default: 0] += 1 }
            if case .answer(503, _, _, _)? = steps.first { record.shutdowns[id, default: 0] += 1 }
            if !isUnprocessed, !isAnswered { record.ambiguous[id, default: 0] += 1 }
        }
    }
}

/// Apple's rules for provider tokens on one connection.
struct MockTokenCheck {
    private var token: String?
    private var changedAt: Timestamp?
    private var isWedged = false

    mutating func judge(_ request: MockRequest, _ authority: MockAuthority) -> (status: Int, reason: String)? {
        guard let field = request["authorization"], field.hasPrefix("bearer ") else {
            return (403, "MissingProviderToken")
        }
        let text = String(field.dropFirst(7))
        guard let decoded = try? JSONWebToken(verifying: text, with: authority.key),
            decoded.header["kid"]?.string == authority.keyID, decoded.claims["iss"]?.string == authority.teamID,
            let issuedAt = decoded.claims["iat"]?.integer
        else { return (403, "InvalidProviderToken") }
        let now = authority.clock()
        let age = Double(now.microseconds / 1_000_000 - issuedAt)
        if isWedged || abs(age) > 3600 {
            isWedged = true
            return (403, "ExpiredProviderToken")
        }
        if let token, token != text {
            if let changedAt, now.seconds(since: changedAt) < 20 * 60 { return (429, "TooManyProviderTokenUpdates") }
            changedAt = now
        } else if token == nil {
            changedAt = now
        }
        token = text
        return nil
    }
}
