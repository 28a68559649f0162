-- What goes to the gateway chain and what comes back from it.

-- A sender of transactions: one key, one nonce sequence, held by one instance at a time.
CREATE TABLE signer_lane (
    name        text PRIMARY KEY,
    address     bytea NOT NULL CHECK (octet_length(address) = 20),
    owner       bigint,                                     -- instance.epoch of the holder
    lease_until timestamptz,
    next_nonce  bigint NOT NULL DEFAULT 0 CHECK (next_nonce >= 0),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    -- Two lanes with one key would fight over nonces.
    UNIQUE (address)
);

CREATE TYPE tx_attempt_state AS ENUM ('signed', 'mined', 'dropped', 'consumed');

-- One nonce of one lane: a request's transaction, or a no-op that closes the nonce (request_id is null).
CREATE TABLE tx_attempt (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,   -- versions refer to it
    lane        text NOT NULL REFERENCES signer_lane (name),
    nonce       bigint NOT NULL CHECK (nonce >= 0),
    request_id  bigint,
    state       tx_attempt_state NOT NULL DEFAULT 'signed',
    sends       integer NOT NULL DEFAULT 0,
    mined_hash  bytea CHECK (octet_length(mined_hash) = 32),
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    -- A nonce is used once; a lane walks its attempts in this order.
    UNIQUE (lane, nonce)
);
-- The attempts of a request: reconciliation after a restart, its timeline, and its retention.
CREATE INDEX tx_attempt_by_request ON tx_attempt (request_id) WHERE request_id IS NOT NULL;

-- The signed bytes that may be on their way: the first, and one for each fee bump at the same nonce.
CREATE TABLE tx_version (
    attempt_id               bigint NOT NULL REFERENCES tx_attempt (id) ON DELETE CASCADE,
    hash                     bytea NOT NULL CHECK (octet_length(hash) = 32),
    raw                      bytea NOT NULL,
    max_fee_per_gas          numeric(78, 0) NOT NULL,
    max_priority_fee_per_gas numeric(78, 0) NOT NULL,
    gas_limit                numeric(20, 0) NOT NULL,
    created_at               timestamptz NOT NULL DEFAULT now(),
    first_sent_at            timestamptz,
    last_sent_at             timestamptz,
    -- All versions of an attempt are looked for on the chain.
    PRIMARY KEY (attempt_id, hash)
);
-- A transaction is found by its hash (operators, receipts).
CREATE UNIQUE INDEX tx_version_by_hash ON tx_version (hash);

-- The inbox: every log of the gateway contracts that may concern us, stored before it is handled.
CREATE TABLE gateway_event (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,   -- handled in this order
    block_number bigint NOT NULL,
    block_hash   bytea NOT NULL CHECK (octet_length(block_hash) = 32),
    log_index    integer NOT NULL,
    tx_hash      bytea CHECK (octet_length(tx_hash) = 32),
    address      bytea NOT NULL CHECK (octet_length(address) = 20),
    topics       bytea NOT NULL CHECK (octet_length(topics) % 32 = 0),   -- up to four words, joined
    data         bytea NOT NULL,
    gateway_id   bytea CHECK (octet_length(gateway_id) = 32),
    removed      boolean NOT NULL DEFAULT false,
    received_at  timestamptz NOT NULL DEFAULT now(),
    handled_at   timestamptz,
    expires_at   timestamptz,                                       -- for what may be another relayer's
    -- The identity of a log: several listeners and back-fills deliver it, it is stored once.
    UNIQUE (block_hash, log_index)
);
ALTER TABLE gateway_event ALTER COLUMN data SET STORAGE EXTERNAL;
-- A receipt asks for the events that came before it.
CREATE INDEX gateway_event_by_gateway_id ON gateway_event (gateway_id) WHERE gateway_id IS NOT NULL;
-- Reorgs look at what was stored near the head.
CREATE INDEX gateway_event_by_block ON gateway_event (block_number);
-- Clean-up of what nobody claimed.
CREATE INDEX gateway_event_by_expiry ON gateway_event (expires_at) WHERE expires_at IS NOT NULL;

-- How far each listener has read: moved in the same commit that stores the events.
CREATE TABLE chain_cursor (
    listener     text PRIMARY KEY,
    chain_id     numeric(20, 0) NOT NULL,
    genesis_hash bytea CHECK (octet_length(genesis_hash) = 32),     -- a chain that was reset is noticed
    block_number bigint NOT NULL,
    log_index    integer NOT NULL DEFAULT -1,                       -- -1: none of this block yet
    block_hash   bytea CHECK (octet_length(block_hash) = 32),
    updated_at   timestamptz NOT NULL DEFAULT now()
);
