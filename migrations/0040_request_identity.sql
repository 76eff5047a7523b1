-- What is known of the answers in a transcript before the position that was read.
ALTER TABLE transcript_files ADD COLUMN answers text;

COMMENT ON COLUMN transcript_files.answers IS 'The last answers before line_offset, which tell answers without ids of their own apart; NULL at the beginning.';

DROP VIEW usage_counted;

-- Two old keys may become one, or one key what another was. So the primary keys go first, and then all but one of the
-- rows of a key: as in a projection, the reading of the highest rank stays.
ALTER TABLE usage_copies DROP CONSTRAINT usage_copies_pkey;
ALTER TABLE usage_requests DROP CONSTRAINT usage_requests_pkey;

-- Copies name the machine of their request. Where the request is gone, no machine needs it.
ALTER TABLE usage_copies ADD COLUMN machine_id bigint NOT NULL DEFAULT 0;
ALTER TABLE usage_copies ALTER COLUMN machine_id DROP DEFAULT;

UPDATE usage_copies c SET machine_id = u.machine_id,
    key = CASE WHEN u.key LIKE 'r:%'
        THEN 'r:' || u.request_id || CASE WHEN u.sources & 1 = 1 THEN ' :' ELSE ' ' END || coalesce(u.message_id, '')
        ELSE u.key END
FROM usage_requests u WHERE u.key = c.key;

DELETE FROM usage_copies WHERE ctid IN (
    SELECT ctid FROM (
        SELECT ctid, row_number() OVER (PARTITION BY session_id, key, machine_id ORDER BY first_seq) AS place
        FROM usage_copies) AS c
    WHERE place > 1);

ALTER TABLE usage_copies ALTER COLUMN key TYPE text COLLATE "C";
ALTER TABLE usage_copies ADD PRIMARY KEY (session_id, key, machine_id);

COMMENT ON COLUMN usage_copies.machine_id IS 'The machine of the request.';

-- Where telemetry named no request ids, a transcript's requests without one were taken for the same.
ALTER TABLE usage_requests
    ADD COLUMN is_counted smallint NOT NULL DEFAULT 1,
    ADD COLUMN is_first smallint NOT NULL DEFAULT 1,
    ADD COLUMN is_unpriced smallint NOT NULL DEFAULT 0,
    ADD COLUMN pairing smallint NOT NULL DEFAULT 0,
    ADD COLUMN advises text COLLATE "C",
    ADD COLUMN advice_cost double precision;

UPDATE usage_requests u SET
    key = CASE WHEN u.key LIKE 'r:%'
        THEN 'r:' || u.request_id || CASE WHEN u.sources & 1 = 1 THEN ' :' ELSE ' ' END || coalesce(u.message_id, '')
        ELSE u.key END,
    is_unpriced = u.is_estimate,
    is_counted = CASE WHEN u.sources = 2 AND u.request_id IS NULL AND EXISTS (
        SELECT FROM usage_requests o WHERE o.session_id = u.session_id AND o.sources = 1 AND o.request_id IS NULL)
        THEN 0 ELSE 1 END;

DELETE FROM usage_requests WHERE ctid IN (
    SELECT ctid FROM (
        SELECT ctid, row_number() OVER (PARTITION BY key, machine_id ORDER BY rank DESC, first_seq) AS place
        FROM usage_requests) AS u
    WHERE place > 1);

ALTER TABLE usage_requests ALTER COLUMN key TYPE text COLLATE "C";
ALTER TABLE usage_requests ADD PRIMARY KEY (key, machine_id);

DROP INDEX usage_requests_unnamed;
CREATE INDEX usage_requests_unnamed ON usage_requests (session_id) WHERE request_id IS NULL;
CREATE INDEX usage_requests_unpriced ON usage_requests (at) WHERE is_unpriced = 1;
CREATE INDEX usage_requests_advice ON usage_requests (session_id) WHERE advises IS NOT NULL;
CREATE INDEX usage_requests_repeated ON usage_requests (machine_id) WHERE is_first = 0;

COMMENT ON TABLE usage_requests IS 'What telemetry reports of each request to a model, and what transcripts do. Written by the projection ''usage''.';
COMMENT ON COLUMN usage_requests.key IS 'r: and the request id, then the answer, or a colon with the number and the tokens of the record of telemetry. Without a request id m: or t: and the session.';
COMMENT ON COLUMN usage_requests.machine_id IS 'The machine that reported it. A row never moves to another machine.';
COMMENT ON COLUMN usage_requests.sources IS '1 for telemetry, 2 for a transcript, 3 for telemetry of a request that a transcript reports too.';
COMMENT ON COLUMN usage_requests.cost IS 'US dollars that count: as telemetry states them, without those of advice that has a row; else by the price list.';
COMMENT ON COLUMN usage_requests.is_estimate IS '1 where the cost is computed without a price of the model.';
COMMENT ON COLUMN usage_requests.is_counted IS '0 for a transcript''s request that a row of telemetry counts.';
COMMENT ON COLUMN usage_requests.is_first IS '0 where a request counts in the row of another machine when all machines are summed.';
COMMENT ON COLUMN usage_requests.is_unpriced IS '1 where the price list lacks the model, whoever states the cost.';
COMMENT ON COLUMN usage_requests.pairing IS 'How the rows of telemetry and transcript found each other: 1 by the request id, 2 by their tokens, 0 not.';
COMMENT ON COLUMN usage_requests.advises IS 'The key of the request whose model this one advised; NULL for other requests.';
COMMENT ON COLUMN usage_requests.advice_cost IS 'US dollars of the rows that name this one in advises; NULL if there is none.';

CREATE VIEW usage_counted AS SELECT * FROM usage_requests WHERE is_counted = 1;

COMMENT ON VIEW usage_counted IS 'The requests that the sums of a session or a machine consist of. Sums over machines take those with is_first = 1.';
