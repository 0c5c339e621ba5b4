# Replaces a figure on a page: figures_place.py PAGE WORDS OLD NEW MACHINE NEW-MACHINE, where # in WORDS is the figure and @ the machine. Says so if the words are not there.
import sys

page, words, old, new, machine, new_machine = sys.argv[1:]
text = open(page).read()
before = words.replace("#", old).replace("@", machine)
if before not in text:
    sys.exit("figures: %s: '%s' is not there" % (page, before))
open(page, "w").write(text.replace(before, words.replace("#", new).replace("@", new_machine)))
