-- What one instance does for all of them: the first of those who ask holds the lease until it ends.
CREATE TABLE duty (
    name        text PRIMARY KEY,
    owner       bigint NOT NULL,             -- instance.epoch of the holder
    lease_until timestamptz NOT NULL
) WITH (fillfactor = 20);
