CREATE TABLE usage_copies (
    session_id text NOT NULL,
    key text NOT NULL,
    first_seq bigint NOT NULL,
    PRIMARY KEY (session_id, key)
);

COMMENT ON TABLE usage_copies IS 'Requests that the transcripts of several sessions tell: a fork repeats those of the session that it comes from.';
COMMENT ON COLUMN usage_copies.session_id IS 'A session that tells of the request.';
COMMENT ON COLUMN usage_copies.key IS 'The request, as in usage_requests, which names the session that it counts for.';
COMMENT ON COLUMN usage_copies.first_seq IS 'The event that showed it.';
