-- The row of one machine is no longer in the way of another's.
ALTER TABLE session_posters DROP CONSTRAINT session_posters_pkey, ADD PRIMARY KEY (session_id, machine_id);
