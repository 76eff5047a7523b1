CREATE TABLE answer_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    at timestamptz NOT NULL,
    session_id text NOT NULL,
    entry text,
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    link bytea NOT NULL CHECK (octet_length(link) = 32)
);

CREATE INDEX answer_audit_of_session ON answer_audit (session_id);

CREATE FUNCTION keep_answer_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.entry IS NULL
        AND (NEW.id, NEW.key, NEW.at, NEW.digest, NEW.link) = (OLD.id, OLD.key, OLD.at, OLD.digest, OLD.link)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'entries of answer_audit can be erased, and not changed';
END
$$;

CREATE TRIGGER answer_audit_is_kept BEFORE UPDATE OR DELETE ON answer_audit
    FOR EACH ROW EXECUTE FUNCTION keep_answer_audit();

COMMENT ON FUNCTION keep_answer_audit() IS 'Lets an entry be erased; refuses every other change.';

COMMENT ON TABLE answer_audit IS 'What was asked, answered, applied and sent, as a chain: each link covers the one before.';
COMMENT ON COLUMN answer_audit.id IS 'The order of the chain. Numbers may be missing.';
COMMENT ON COLUMN answer_audit.key IS 'What it is about; a repeated event adds no second entry.';
COMMENT ON COLUMN answer_audit.at IS 'When it happened.';
COMMENT ON COLUMN answer_audit.session_id IS 'The session concerned.';
COMMENT ON COLUMN answer_audit.entry IS 'What happened, as JSON; NULL after it was erased.';
COMMENT ON COLUMN answer_audit.digest IS 'SHA-256 of the entry.';
COMMENT ON COLUMN answer_audit.link IS 'SHA-256 of the previous link (32 zero bytes before the first entry) and this digest.';
