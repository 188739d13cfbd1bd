"""The queries of the worked examples: qrels, and a run by falling score."""

#: Grades 0 to 3. f is not retrieved, x not in the qrels, u and v were pooled but not judged. R = 4, N = 2.
GRADED = ("a=2 b=1 c=0 d=3 e=0 f=1 u=-1 v=-1", "a x c b u e d")

#: Fewer documents retrieved than there are relevant ones, all judged. R = 7, N = 1.
SHORT = ("r1=1 r2=1 r3=1 r4=1 r5=1 r6=2 r7=2 n1=0", "r1 r2 n1 r6 r3 r4")

#: Nothing is relevant; y is not in the qrels.
NOTHING_RELEVANT = ("c=0 e=0", "c y")

#: An unjudged document above the only relevant one.
SECOND = ("a=1", "z a")

#: Three groups of assessors; the third found nothing relevant.
GROUPS = ("a=2 b=0 c=1 | a=0 d=1 e=1 f=1 | a=0 b=-1", "a b d z")

#: One group of assessors without sub-groups: 13 preferences. e and f are not retrieved, x is nowhere judged.
LEVELS = ("a=3 b=2 c=0 d=6 e=0 f=2", "a d c x b")

#: Two groups. The first has two sub-groups, and prefers a to d because it prefers a to b and b to d.
SUBGROUPS = ("a=3 b=2 c=1 / b=5 d=4 | b=1 a=0 e=0", "d a x b")

#: Three subtopics: a covers the first, b the second and third, d the second, c the third. x is nowhere judged.
SUBTOPICS = ("a=2 b=0 | b=1 d=1 a=0 | b=1 c=1", "a b x d")
