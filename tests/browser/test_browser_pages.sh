#!/usr/bin/env bash
# The participant's, the operator's and the public pages in Chromium, against a
# service in memory (web/tests/mock_service.js). KITH_SCREENSHOTS=FOLDER keeps
# pictures of them for people.
. "$(dirname "$0")/lib.sh"
node --test web/tests/take_part.test.js web/tests/pages.test.js
