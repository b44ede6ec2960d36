-- A ledger of schema 1 as it was made in November 2026: every later kith reads it.
BEGIN TRANSACTION;
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
INSERT INTO "account" VALUES(1,'visits','row','add-remove',1125899906842624,112589990684262,484937815912593,143845283062726,8,'ecab26f7de4024440206c35dc3000a3864eb3f6bc625d9ea4c331d77d9bbff5b');
INSERT INTO "account" VALUES(2,'people','user','replace-one',1125899906842624,0,0,0,1,'4020ceb77296038e8d8a007b8b20eb1d4451a4f6d9c3dbe2d8d1c20494fc6171');
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
INSERT INTO "entry" VALUES(1,1,'grant','2026-11-17T01:40:52Z',NULL,NULL,'{"adjacency":"add-remove","dataset":"clinic","delta":"1e-06","epsilon":"4","kind":"grant","limit_gauss":484937815912593,"limit_pure":1125899906842624,"pure":"1","unit":"row","version":"0.1.0"}','e75aad61a60b5ae0ca959fb5c470e41c14a96ac599d5b2d5603f3b525a0215a9');
INSERT INTO "entry" VALUES(1,2,'charge','2026-11-17T01:40:52Z','d9332ee978a7f3b9d00e0752885c579d',NULL,'{"adjacency":"add-remove","amount":63083005151349,"delta":"1e-06","epsilon":"1","kind":"charge","parameters":"3cdc71b82d21ee884241d745d6961e333c7944ee62e1f9c1c25c8b4054c1b2d3","purse":"gauss","run":"d9332ee978a7f3b9d00e0752885c579d","unit":"row","version":"0.1.0"}','72ddf94fa4024e8baef458c86057f4c0b59cd8bb7b51f6ad12faecad460a472e');
INSERT INTO "entry" VALUES(1,3,'result','2026-11-17T01:40:52Z','d9332ee978a7f3b9d00e0752885c579d',NULL,'{"guarantee":"exact","kind":"result","model":"3748e21f50ecc8925f98e9a69c9a8cab5080ed1edd582f4a71f9a2e8470069d7","releases":34,"run":"d9332ee978a7f3b9d00e0752885c579d","version":"0.1.0"}','b962ee24547053f3a72333230a3849e17f1dc76cf2d6b884d702ce828dd204f1');
INSERT INTO "entry" VALUES(1,4,'adopt','2026-11-17T01:40:54Z','f9b06ab21f78f4a5c95583b12dc75298',NULL,'{"adjacency":"add-remove","amount":112589990684262,"delta":"0","epsilon":"0.1","guarantee":"exact","kind":"adopt","model":"f9b06ab21f78f4a5c95583b12dc75298eb078ec5a25fa5d986a4ff467cbd147d","purse":"pure","run":"f9b06ab21f78f4a5c95583b12dc75298","unit":"row","version":"0.1.0"}','5bd2395ea7ea105cb2125db2390c1fcd3ef285759af7aabcdd28689ff8e493f0');
INSERT INTO "entry" VALUES(1,5,'charge','2026-11-17T01:42:46Z','f5877d627e1de392f4972cef3f8f3114',NULL,'{"adjacency":"add-remove","amount":63083005151349,"delta":"1e-06","epsilon":"1","kind":"charge","parameters":"3cdc71b82d21ee884241d745d6961e333c7944ee62e1f9c1c25c8b4054c1b2d3","purse":"gauss","run":"f5877d627e1de392f4972cef3f8f3114","unit":"row","version":"0.1.0"}','efda15dd025d822d2c360c1ae864f135e08fbbed4eb16ef640ac29de0b5f8d75');
INSERT INTO "entry" VALUES(1,6,'result','2026-11-17T01:42:47Z','f5877d627e1de392f4972cef3f8f3114',NULL,'{"guarantee":"exact","kind":"result","model":"3f6705397f45b6accf064e847a95fd32de5156695ec650ea411d66e435f00c53","releases":34,"run":"f5877d627e1de392f4972cef3f8f3114","version":"0.1.0"}','0c74e2b7f148505102fdce3a271f7f2968d40b56be216b324b8812f0ab725bf0');
INSERT INTO "entry" VALUES(1,7,'charge','2026-11-17T01:42:47Z','1ac4951ac3442591c4b7860d78180f05',NULL,'{"adjacency":"add-remove","amount":17679272760028,"delta":"0","epsilon":"0.1","kind":"charge","parameters":"a4a219293dc6359beb3489275e115ffb6f92c1b886ecf46717c8180847ebd551","purse":"gauss","run":"1ac4951ac3442591c4b7860d78180f05","unit":"row","version":"0.1.0"}','3eb10994cb6d8a3dfc76b722d76cab396cccf232c8b793a068b78e30218fc78d');
INSERT INTO "entry" VALUES(1,8,'result','2026-11-17T01:42:47Z','1ac4951ac3442591c4b7860d78180f05',NULL,'{"guarantee":"exact","kind":"result","model":"aaacfc9288d7d6abb77ab1664555e4499403c67897fd3b82866283d251890eb8","releases":10,"run":"1ac4951ac3442591c4b7860d78180f05","version":"0.1.0"}','ecab26f7de4024440206c35dc3000a3864eb3f6bc625d9ea4c331d77d9bbff5b');
INSERT INTO "entry" VALUES(2,1,'grant','2026-11-17T02:03:18Z',NULL,NULL,'{"adjacency":"replace-one","dataset":"v","delta":"0","epsilon":"1","kind":"grant","limit_gauss":0,"limit_pure":1125899906842624,"pure":"0","unit":"user","version":"0.1.0"}','4020ceb77296038e8d8a007b8b20eb1d4451a4f6d9c3dbe2d8d1c20494fc6171');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "meta" VALUES('ledger','6ebc8387ba06ffcc671aa10d5a42354f');
INSERT INTO "meta" VALUES('schema','1');
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
CREATE TRIGGER entry_stays BEFORE UPDATE ON entry
    BEGIN SELECT RAISE(ABORT, 'entries are only appended'); END;
CREATE TRIGGER entry_remains BEFORE DELETE ON entry
    BEGIN SELECT RAISE(ABORT, 'entries are only appended'); END;
COMMIT;
