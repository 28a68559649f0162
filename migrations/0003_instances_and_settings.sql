-- Who works on this database, and what operators have changed.

-- Every start of an instance takes a new epoch. Claims name the epoch, so a process that was thought
-- dead can not touch what its successor has taken over: its guards no longer match.
CREATE SEQUENCE instance_epoch_seq AS bigint;

CREATE TABLE instance (
    name         text PRIMARY KEY,
    epoch        bigint NOT NULL DEFAULT nextval('instance_epoch_seq'),
    started_at   timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now(),
    draining     boolean NOT NULL DEFAULT false,
    version      text NOT NULL DEFAULT '',
    -- An owner is looked up by its epoch.
    UNIQUE (epoch)
) WITH (fillfactor = 50);

-- Runtime configuration that an admin changed: survives a restart and reaches every instance.
CREATE TABLE setting (
    name       text PRIMARY KEY,
    value      jsonb NOT NULL,
    changed_by text NOT NULL DEFAULT '',
    changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE audit (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,   -- read newest first, by page
    at         timestamptz NOT NULL DEFAULT now(),
    actor      text NOT NULL,
    action     text NOT NULL,
    subject    text NOT NULL DEFAULT '',
    detail     jsonb NOT NULL DEFAULT '{}'::jsonb
);
