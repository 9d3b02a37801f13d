"""Animals: learn from background knowledge

After this example you can learn rules over what is already known, written as facts and rules of a logic program, and
apply them to individuals that the examples do not have. It needs the extra ``logic``.
"""

from unless.logic import learn_logic

facts = """
    sparrow(jack). sparrow(jim). sparrow(joe). eagle(sam). eagle(sue). eagle(ed).
    robin(ruby). robin(rose). robin(rick). penguin(pingu). penguin(skipper). ostrich(olga).
    dog(rex). cat(tom). whale(moby).
    clipped(joe).   % somebody has clipped his wings
"""
follows = """
    bird(X) :- sparrow(X).    bird(X) :- eagle(X).      bird(X) :- robin(X).
    bird(X) :- penguin(X).    bird(X) :- ostrich(X).
    mammal(X) :- dog(X).      mammal(X) :- cat(X).      mammal(X) :- whale(X).
"""
examples = """
    flies(jack,yes).  flies(jim,yes).   flies(sam,yes).     flies(sue,yes).  flies(ed,yes).
    flies(ruby,yes).  flies(rose,yes).  flies(rick,yes).
    flies(joe,no).    flies(pingu,no).  flies(skipper,no).  flies(olga,no).
    flies(rex,no).    flies(tom,no).    flies(moby,no).
"""

learned = learn_logic([facts, follows], examples, "flies", algorithm="fold_rpp", positive="yes")
print(f"Birds fly, unless …: the rules get {learned.right} of {len(learned.individuals)} animals right.\n")
print(learned)

print("\nAnimals that the examples do not have:\n")
strangers = "sparrow(tweety). penguin(chilly). dog(fido). robin(rob). robin(bob). clipped(bob)."
for name, label in sorted(learned.predict([strangers, follows]).items()):
    print(f"  {name:8} {'flies' if label == 'yes' else 'does not fly'}")

print("\nAny number of labels, learned by FOLD-RM: where do they live? A rule decides only if none before it does.\n")
homes = """
    home(jack,garden). home(jim,garden). home(ruby,garden). home(rose,garden). home(rick,garden). home(joe,house).
    home(sam,rock).    home(sue,rock).   home(ed,rock).     home(pingu,sea).   home(skipper,sea). home(moby,sea).
    home(rex,house).   home(tom,house).  home(olga,zoo).
"""
print(learn_logic([facts, follows], homes, "home"))
