CREATE TABLE push_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id bigint NOT NULL REFERENCES devices (id),
    kind text NOT NULL CHECK (kind IN ('alert', 'activity_start', 'activity_update', 'webpush')),
    session_id text,
    token text NOT NULL CHECK (octet_length(token) <= 4096),
    sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
    environment text CHECK (environment IN ('production', 'development')),
    topic text,
    p256dh text,
    auth text,
    encryption_key bytea CHECK (octet_length(encryption_key) = 32),
    locale text,
    time_zone text,
    app_version text,
    frequent_updates boolean NOT NULL DEFAULT false,
    registered_at timestamptz NOT NULL,
    last_ok_at timestamptz,
    failures integer NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'quarantined', 'gone')),
    state_reason text,
    state_at timestamptz,
    CHECK ((kind = 'webpush') = (environment IS NULL)),
    CHECK ((kind = 'activity_update') = (session_id IS NOT NULL))
);

CREATE UNIQUE INDEX push_tokens_place ON push_tokens (device_id, kind, coalesce(session_id, ''));
CREATE UNIQUE INDEX push_tokens_token ON push_tokens (kind, sha256);

COMMENT ON TABLE push_tokens IS 'Where pushes for a device go. A device has one of each kind, and one for each Live Activity.';
COMMENT ON COLUMN push_tokens.id IS 'Internal number.';
COMMENT ON COLUMN push_tokens.device_id IS 'The device that registered it.';
COMMENT ON COLUMN push_tokens.kind IS 'alert, activity_start or activity_update: of APNs; webpush: a browser''s subscription.';
COMMENT ON COLUMN push_tokens.session_id IS 'The session that a Live Activity shows; NULL for other kinds.';
COMMENT ON COLUMN push_tokens.token IS 'The APNs device token in hexadecimal, or the endpoint''s URL. Whoever has it and a key can push.';
COMMENT ON COLUMN push_tokens.sha256 IS 'Of the token: what makes it unique, and what logs name it by.';
COMMENT ON COLUMN push_tokens.environment IS 'Of APNs, as the app says; NULL for webpush.';
COMMENT ON COLUMN push_tokens.topic IS 'The app''s bundle id; NULL for webpush, or where it is the configured one.';
COMMENT ON COLUMN push_tokens.p256dh IS 'Public key of a browser''s subscription, base64url.';
COMMENT ON COLUMN push_tokens.auth IS 'Authentication secret of a browser''s subscription, base64url.';
COMMENT ON COLUMN push_tokens.encryption_key IS 'AES-256 key that the device made: with it contents are sealed. NULL: contents are left out.';
COMMENT ON COLUMN push_tokens.locale IS 'BCP 47 language tag, as the device says.';
COMMENT ON COLUMN push_tokens.time_zone IS 'IANA name, as the device says: what its quiet hours are told in. NULL: UTC.';
COMMENT ON COLUMN push_tokens.app_version IS 'For people.';
COMMENT ON COLUMN push_tokens.frequent_updates IS 'Whether the device''s owner allows frequent updates of Live Activities.';
COMMENT ON COLUMN push_tokens.registered_at IS 'When the app last reported it: a 410 from before is not about it.';
COMMENT ON COLUMN push_tokens.last_ok_at IS 'When a push to it was last accepted.';
COMMENT ON COLUMN push_tokens.failures IS 'Refusals since then.';
COMMENT ON COLUMN push_tokens.state IS 'active; quarantined: not used until it is registered again; gone: the push service says so.';
COMMENT ON COLUMN push_tokens.state_reason IS 'What the push service said.';
COMMENT ON COLUMN push_tokens.state_at IS 'When the state last changed.';

CREATE TABLE push_preferences (
    scope text NOT NULL CHECK (scope IN ('default', 'device', 'project', 'session')),
    subject text NOT NULL,
    settings text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (scope, subject)
);

COMMENT ON TABLE push_preferences IS 'What people want to be told, in layers: a session''s go over its project''s, those over the device''s, those over the default.';
COMMENT ON COLUMN push_preferences.scope IS 'The layer.';
COMMENT ON COLUMN push_preferences.subject IS 'Id of the device, project or session; empty for the default.';
COMMENT ON COLUMN push_preferences.settings IS 'JSON object; what it does not name is left to the layer below.';
COMMENT ON COLUMN push_preferences.updated_at IS 'When a person last changed it.';

CREATE TABLE push_progress (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    epoch text NOT NULL,
    seq bigint NOT NULL,
    state text,
    moved_at timestamptz NOT NULL
) WITH (fillfactor = 10);

COMMENT ON TABLE push_progress IS 'One row: how far the log has been judged. Whoever judges holds its row lock to the commit, so each event is judged once.';
COMMENT ON COLUMN push_progress.singleton IS 'Always true: the key that keeps the table to one row.';
COMMENT ON COLUMN push_progress.epoch IS 'The log''s.';
COMMENT ON COLUMN push_progress.seq IS 'Events up to this place have been judged.';
COMMENT ON COLUMN push_progress.state IS 'What the judgement remembers beyond sessions, as JSON; NULL at the start.';
COMMENT ON COLUMN push_progress.moved_at IS 'When it last moved on.';

INSERT INTO push_progress (epoch, seq, moved_at) SELECT epoch, last_seq, now() FROM log_head;

CREATE TABLE push_watches (
    session_id text PRIMARY KEY,
    state text NOT NULL,
    updated_at timestamptz NOT NULL
) WITH (fillfactor = 70);

CREATE INDEX push_watches_age ON push_watches (updated_at);

COMMENT ON TABLE push_watches IS 'What the judgement remembers of each session, written in the commit that moves push_progress.';
COMMENT ON COLUMN push_watches.session_id IS 'The session.';
COMMENT ON COLUMN push_watches.state IS 'JSON.';
COMMENT ON COLUMN push_watches.updated_at IS 'When it last changed.';

CREATE TABLE push_notices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    kind text NOT NULL,
    event_seq bigint,
    event_id uuid,
    session_id text,
    prompt_key text,
    collapse_id text,
    notice text NOT NULL,
    raised_at timestamptz NOT NULL,
    not_before timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    withdrawn_at timestamptz,
    withdrawn_because text
);

CREATE INDEX push_notices_prompt ON push_notices (prompt_key) WHERE prompt_key IS NOT NULL;
CREATE INDEX push_notices_event ON push_notices (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX push_notices_age ON push_notices (raised_at);

COMMENT ON TABLE push_notices IS 'What was found worth telling, whether or not anybody was told.';
COMMENT ON COLUMN push_notices.id IS 'Internal number.';
COMMENT ON COLUMN push_notices.key IS 'Made from the event: one event judged twice raises one notice.';
COMMENT ON COLUMN push_notices.kind IS 'permission, question, finished, ...';
COMMENT ON COLUMN push_notices.event_seq IS 'Place of the event that raised it; NULL for a test.';
COMMENT ON COLUMN push_notices.event_id IS 'Id of that event.';
COMMENT ON COLUMN push_notices.session_id IS 'Its session; NULL where it is about none.';
COMMENT ON COLUMN push_notices.prompt_key IS 'What later events withdraw it by; NULL where nothing does.';
COMMENT ON COLUMN push_notices.collapse_id IS 'A later notice with the same one replaces it on the device.';
COMMENT ON COLUMN push_notices.notice IS 'All of it as JSON.';
COMMENT ON COLUMN push_notices.raised_at IS 'When it was raised, by the server''s clock.';
COMMENT ON COLUMN push_notices.not_before IS 'End of its grace: answered sooner, nobody is told.';
COMMENT ON COLUMN push_notices.expires_at IS 'From when on telling it is of no use.';
COMMENT ON COLUMN push_notices.withdrawn_at IS 'When a later event made it void; NULL if none did.';
COMMENT ON COLUMN push_notices.withdrawn_because IS 'A word for it.';

CREATE TABLE push_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    notice_id bigint NOT NULL REFERENCES push_notices (id) ON DELETE CASCADE,
    token_id bigint REFERENCES push_tokens (id) ON DELETE SET NULL,
    device_id bigint NOT NULL REFERENCES devices (id),
    token_kind text NOT NULL,
    apns_id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN
        ('waiting', 'claimed', 'sent', 'suppressed', 'withdrawn', 'failed', 'expired')),
    due_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    submissions integer NOT NULL DEFAULT 0,
    claimed_by text,
    lease_until timestamptz,
    level text,
    collapse_id text,
    code text,
    reason text,
    status integer,
    digest_key text,
    created_at timestamptz NOT NULL,
    decided_at timestamptz,
    UNIQUE (notice_id, token_id)
) WITH (fillfactor = 80);

CREATE INDEX push_deliveries_due ON push_deliveries (due_at) WHERE state = 'waiting';
CREATE INDEX push_deliveries_claimed ON push_deliveries (lease_until) WHERE state = 'claimed';
CREATE INDEX push_deliveries_token ON push_deliveries (token_id) WHERE token_id IS NOT NULL;
CREATE INDEX push_deliveries_open ON push_deliveries (token_id) WHERE state IN ('waiting', 'claimed');
CREATE INDEX push_deliveries_digest ON push_deliveries (digest_key) WHERE digest_key IS NOT NULL;
CREATE INDEX push_deliveries_sent ON push_deliveries (device_id, decided_at) WHERE state = 'sent';

COMMENT ON TABLE push_deliveries IS 'The outbox: one notice for one token, and what became of it.';
COMMENT ON COLUMN push_deliveries.id IS 'Internal number.';
COMMENT ON COLUMN push_deliveries.notice_id IS 'What is told.';
COMMENT ON COLUMN push_deliveries.token_id IS 'Where to; NULL when the token is no longer registered.';
COMMENT ON COLUMN push_deliveries.device_id IS 'The token''s device.';
COMMENT ON COLUMN push_deliveries.token_kind IS 'The token''s kind.';
COMMENT ON COLUMN push_deliveries.apns_id IS 'Names the push to Apple; every attempt carries the same.';
COMMENT ON COLUMN push_deliveries.state IS 'waiting; claimed by a server that is at it; sent: accepted by the push service; or why it was not.';
COMMENT ON COLUMN push_deliveries.due_at IS 'When it is next looked at.';
COMMENT ON COLUMN push_deliveries.expires_at IS 'The notice''s.';
COMMENT ON COLUMN push_deliveries.attempts IS 'How often it was claimed.';
COMMENT ON COLUMN push_deliveries.submissions IS 'How often it was handed over and may have left: never more than twice.';
COMMENT ON COLUMN push_deliveries.claimed_by IS 'The server process that claimed it.';
COMMENT ON COLUMN push_deliveries.lease_until IS 'Until when the claim counts: then another may take it over.';
COMMENT ON COLUMN push_deliveries.level IS 'Interruption level that was chosen.';
COMMENT ON COLUMN push_deliveries.collapse_id IS 'What it was sent under: a later push with the same one replaces it on the device.';
COMMENT ON COLUMN push_deliveries.code IS 'Why it is in this state, or waits: one word.';
COMMENT ON COLUMN push_deliveries.reason IS 'The same for a person.';
COMMENT ON COLUMN push_deliveries.status IS 'Status of the push service''s answer.';
COMMENT ON COLUMN push_deliveries.digest_key IS 'The digest that it is counted in instead of being sent; NULL for most.';
COMMENT ON COLUMN push_deliveries.created_at IS 'When the notice was raised for it.';
COMMENT ON COLUMN push_deliveries.decided_at IS 'When it came into its last state; NULL while it waits or is claimed.';

CREATE TABLE push_budgets (
    device_id bigint PRIMARY KEY REFERENCES devices (id),
    full_at timestamptz NOT NULL
) WITH (fillfactor = 70);

COMMENT ON TABLE push_budgets IS 'How much of what a device may be sent is used up.';
COMMENT ON COLUMN push_budgets.device_id IS 'The device.';
COMMENT ON COLUMN push_budgets.full_at IS 'When its budget is whole again.';

CREATE TABLE push_activities (
    device_id bigint NOT NULL REFERENCES devices (id),
    session_id text NOT NULL,
    workspace_id text,
    plan text,
    state text,
    token_arrived boolean NOT NULL DEFAULT false,
    token_gone boolean NOT NULL DEFAULT false,
    version bigint NOT NULL DEFAULT 0,
    due_at timestamptz,
    lease_until timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (device_id, session_id)
) WITH (fillfactor = 70);

CREATE INDEX push_activities_due ON push_activities (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX push_activities_session ON push_activities (session_id);

COMMENT ON TABLE push_activities IS 'Live Activities: one session on one device''s lock screen.';
COMMENT ON COLUMN push_activities.device_id IS 'The device.';
COMMENT ON COLUMN push_activities.session_id IS 'The session.';
COMMENT ON COLUMN push_activities.workspace_id IS 'Its project, for preferences.';
COMMENT ON COLUMN push_activities.plan IS 'JSON of how far it is; NULL before its first step.';
COMMENT ON COLUMN push_activities.state IS 'JSON of the session''s newest state that the plan has not taken; NULL where it has.';
COMMENT ON COLUMN push_activities.token_arrived IS 'The app has registered the activity''s own token, and the plan has not been told.';
COMMENT ON COLUMN push_activities.token_gone IS 'The push service called that token gone, and the plan has not been told.';
COMMENT ON COLUMN push_activities.version IS 'Counts what comes from outside: what came during a step is not overwritten by it.';
COMMENT ON COLUMN push_activities.due_at IS 'When it is next looked at; NULL: not before something comes.';
COMMENT ON COLUMN push_activities.lease_until IS 'Until when a server is at it, by the database''s clock.';
COMMENT ON COLUMN push_activities.updated_at IS 'When it last changed.';

CREATE FUNCTION push_utc_offset(zone text, at timestamptz) RETURNS integer
    LANGUAGE plpgsql STABLE AS
$$
BEGIN
    RETURN extract(epoch FROM (at AT TIME ZONE coalesce(zone, 'UTC')) - (at AT TIME ZONE 'UTC'))::integer;
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION push_utc_offset(text, timestamptz) IS
    'Seconds that clocks of a time zone are ahead of UTC then; NULL where there is no such zone.';
