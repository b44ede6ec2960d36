CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO meta VALUES ('ledger', lower(hex(randomblob(16)))), ('schema', '1'),
    ('made_at', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'));

-- A cache of the entries: whoever reads a statement follows them again.
CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL,
    adjacency TEXT NOT NULL,
    lim_pure INTEGER NOT NULL,
    spent_pure INTEGER NOT NULL DEFAULT 0,
    lim_gauss INTEGER NOT NULL,
    spent_gauss INTEGER NOT NULL DEFAULT 0,
    seq INTEGER NOT NULL DEFAULT 0,
    head TEXT NOT NULL DEFAULT '',
    CHECK (0 <= spent_pure AND spent_pure <= lim_pure),
    CHECK (0 <= spent_gauss AND spent_gauss <= lim_gauss)
) STRICT;

CREATE TABLE sublimit (
    account INTEGER NOT NULL REFERENCES account,
    kind TEXT NOT NULL CHECK (kind IN ('analyst', 'purpose')),
    key TEXT NOT NULL,
    lim_pure INTEGER NOT NULL CHECK (lim_pure >= 0),
    spent_pure INTEGER NOT NULL DEFAULT 0 CHECK (spent_pure >= 0),
    lim_gauss INTEGER NOT NULL CHECK (lim_gauss >= 0),
    spent_gauss INTEGER NOT NULL DEFAULT 0 CHECK (spent_gauss >= 0),
    PRIMARY KEY (account, kind, key)
) STRICT;

CREATE TABLE entry (
    account INTEGER NOT NULL REFERENCES account,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    run TEXT,
    once TEXT,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (account, seq),
    UNIQUE (run, account, kind),
    UNIQUE (account, once)
) STRICT;

CREATE TRIGGER entry_stays BEFORE UPDATE ON entry
    BEGIN SELECT RAISE(ABORT, 'entries are only appended'); END;
CREATE TRIGGER entry_remains BEFORE DELETE ON entry
    BEGIN SELECT RAISE(ABORT, 'entries are only appended'); END;
