#!/usr/bin/env bash
# Native code, node and Chromium give the same bytes (web/tests/vectors.test.js).
. "$(dirname "$0")/lib.sh"
node --test web/tests/vectors.test.js
