#!/bin/sh
# Questions answered by hardware (tests/oracle/questions): the interpreter must give the recorded answers with its default schedule, since some depend on the schedule, as on
# hardware.
: "${PTXI:?}"
"$PTXI" check -q --seeds=0 tests/oracle/questions
