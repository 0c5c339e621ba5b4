#!/bin/sh
# Questions that hardware settled (tests/oracle/questions): the interpreter must give the recorded answers,
# in its own schedule: some depend on it, as on hardware.
: "${PTXI:?}"
"$PTXI" check -q --seeds=0 tests/oracle/questions
