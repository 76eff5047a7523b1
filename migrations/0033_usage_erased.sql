CREATE TABLE usage_erased (
    machine_id bigint NOT NULL,
    session bytea NOT NULL,
    PRIMARY KEY (machine_id, session)
);

COMMENT ON TABLE usage_erased IS 'Erased sessions. Transcripts of forks may repeat their requests, which count no more.';
COMMENT ON COLUMN usage_erased.machine_id IS 'The machine that the session was on.';
COMMENT ON COLUMN usage_erased.session IS 'SHA-256 of the session''s id.';
