-- How many sessions wait for a person is asked for every two seconds: a range of an index that holds only those.
CREATE INDEX sessions_waiting ON sessions (last_activity_at) WHERE ended_at IS NULL AND state = 'waiting';
