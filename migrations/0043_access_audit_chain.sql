ALTER TABLE access_audit
    ADD COLUMN digest bytea CHECK (octet_length(digest) = 32),
    ADD COLUMN link bytea CHECK (octet_length(link) = 32);

CREATE FUNCTION access_audit_digest(
    at timestamptz, actor text, action text, object text, result text, peer text, request_id text, attempts bigint
) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(jsonb_build_array(
        (extract(epoch FROM at) * 1000000)::bigint, actor, action, object, result, peer, request_id, attempts
    )::text, 'UTF8'))
$$;

COMMENT ON FUNCTION access_audit_digest(timestamptz, text, text, text, text, text, text, bigint)
    IS 'SHA-256 of the members of a row of access_audit.';

COMMENT ON COLUMN access_audit.digest IS 'access_audit_digest of the row; NULL in rows from before the chain.';
COMMENT ON COLUMN access_audit.link IS 'SHA-256 of the previous link (32 zero bytes before the first) and this digest.';
