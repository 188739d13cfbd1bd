"""Resampling again in naive Python, with the same generator: one resample and one value after the other."""

from itertools import product

MASK = 2**64 - 1


class Generator:
    """SplitMix64, started from a seed and the number of a resample."""

    def __init__(self, seed, resample):
        self.state = self.mixed((self.mixed((seed + 0x9E3779B97F4A7C15) & MASK) + resample) & MASK)

    @staticmethod
    def mixed(x):
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return x ^ (x >> 31)

    def draw(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return self.mixed(self.state)

    def below(self, n):
        # Of the 2^32 numbers, those below 2^32 % n would make some results more frequent than others.
        while True:
            whole, rest = divmod((self.draw() >> 32) * n, 2**32)
            if rest >= 2**32 % n:
                return whole


def bootstrap_means(values, clusters, resamples, seed):
    """The mean in each resample of the clusters of one run's values."""
    members = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    groups = list(members.values())
    means = []
    for resample in range(resamples):
        generator = Generator(seed, resample)
        drawn = [value for _ in groups for value in groups[generator.below(len(groups))]]
        means.append(sum(drawn) / len(drawn))
    return means


def randomization_p(differences, resamples, seed):
    """The p-value from random signs."""
    observed, scale = abs(sum(differences)), sum(map(abs, differences))
    reached = 0
    for resample in range(resamples):
        generator = Generator(seed, resample)
        total = 0.0
        for i, difference in enumerate(differences):
            if i % 64 == 0:
                signs = generator.draw()
            total += difference if signs >> i % 64 & 1 else -difference
        reached += abs(total) >= observed - 1e-11 * scale
    return (reached + 1) / (resamples + 1)


def exact_p(differences):
    """The p-value from all signs."""
    observed, scale = abs(sum(differences)), sum(map(abs, differences))
    totals = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(total >= observed - 1e-11 * scale for total in totals) / len(totals)


def permuted_ranges(runs, resamples, seed):
    """The range of the runs' means in each resample with values permuted within each query."""
    found = []
    for resample in range(resamples):
        generator = Generator(seed, resample)
        totals = [0.0] * len(runs)
        for column in zip(*runs, strict=True):
            left = list(column)
            for run in range(len(runs) - 1, 0, -1):
                at = generator.below(run + 1)
                totals[run] += left[at]
                left[at] = left[run]
            totals[0] += left[0]
        found.append((max(totals) - min(totals)) / len(runs[0]))
    return found
