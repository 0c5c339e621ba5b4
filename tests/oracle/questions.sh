#!/bin/sh
# Questions that hardware settled (tests/oracle/questions): the interpreter must give the recorded answers.
: "${PTXI:?}"
"$PTXI" check -q tests/oracle/questions
