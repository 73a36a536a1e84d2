#!/usr/bin/env python3
"""Reference values for the driver's statistics, by scipy and numpy; writes statistics.json beside this file.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install scipy && /tmp/venv/bin/python tests/golden/reference.py

Wilcoxon's interval is found by asking scipy's test about every gap between two Walsh averages, the ratio of totals by
writing out the covariance matrix, sums of signed ranks by counting: other ways than the driver's, so that an error in
either shows.
"""

import json
import pathlib

import numpy as np
import scipy
from scipy import stats


def wilcoxon_interval(values, method):
    n = len(values)
    walsh = np.sort([(values[i] + values[j]) / 2 for i in range(n) for j in range(i, n)])
    accepted = []
    for low, high in zip(walsh, walsh[1:]):
        if high - low < 1e-12:
            continue
        shifted = values - (low + high) / 2
        if stats.wilcoxon(shifted, correction=True, method=method).pvalue > 0.05:
            accepted += [low, high]
    return [min(accepted), max(accepted)]


def location(name, values):
    values = np.asarray(values)
    n = len(values)
    walsh = [(values[i] + values[j]) / 2 for i in range(n) for j in range(i, n)]
    method = "exact" if n < 15 else "asymptotic"
    t = stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))
    return {
        "name": name,
        "values": values.tolist(),
        "hodges_lehmann": float(np.median(walsh)),
        "wilcoxon": wilcoxon_interval(values, method) if n >= 6 else None,
        "t": [float(t[0]), float(t[1])],
    }


def totals(name, rng, n, noise, shared):
    common = np.exp(rng.normal(0, shared, n))
    elapsed = rng.normal(250e6, 1e6, (2, n)).round()
    rates = np.array([[70e3], [90e3]]) * common * np.exp(rng.normal(0, noise, (2, n)))
    selects = (rates * elapsed / 1e9).round()
    # base selects, base elapsed, test selects, test elapsed
    data = np.vstack([selects[0], elapsed[0], selects[1], elapsed[1]])
    means = data.mean(axis=1)
    gradient = np.array([-1, 1, 1, -1]) / means
    error = np.sqrt(gradient @ np.cov(data) @ gradient / n)
    center = float(np.log(means[2] / means[3] * means[1] / means[0]))
    half = float(stats.t.ppf(0.975, n - 1) * error)
    return {"name": name, "base": data[:2].T.tolist(), "test": data[2:].T.tolist(),
            "log_estimate": center, "log_interval": [center - half, center + half]}


def epoch_t(values, epochs, rounds):
    """Student's t over the epochs' sums of signed ranks, round the Hodges-Lehmann estimate; epochs are from 0, whole.

    The widest of: single epochs, batches of them that make 20 or just more, 10 or just more.
    """
    n = len(values)
    walsh = np.array([(values[i] + values[j]) / 2 for i in range(n) for j in range(i, n)])
    center = np.median(walsh)
    # of each epoch: how much more of the rank sum lies above the centre than below
    sums = []
    for epoch in range(epochs.max() + 1):
        ranks = stats.rankdata(abs(values - center))[epochs == epoch]
        sides = np.sign(values - center)[epochs == epoch]
        sums.append(ranks[sides > 0].sum() - ranks[sides < 0].sum())
    sums = np.array(sums)
    inside = ((walsh >= rounds[0]) & (walsh <= rounds[1])).sum()
    half = 0.0
    for size in {1, max(1, len(sums) // 20), max(1, len(sums) // 10)}:
        batches = np.add.reduceat(sums, np.arange(0, len(sums), size))
        # a last batch of less than half the others' epochs is no degree of freedom
        rest = len(sums) % size
        count = len(batches) - (0 < rest < size / 2)
        variance = batches @ batches + 2 * max(0, batches[1:] @ batches[:-1])
        error = np.sqrt(variance * count / (count - 1)) * (rounds[1] - rounds[0]) / inside / 2
        half = max(half, float(stats.t.ppf(0.975, count - 1) * error))
    return [float(center - half), float(center + half)]


def lag1(name, values):
    """Bartels's rank version of von Neumann's ratio, and its two-sided p value by the normal distribution."""
    ranks = stats.rankdata(values)
    n = len(ranks)
    ratio = (np.diff(ranks) ** 2).sum() / (n * ranks.var())
    deviation = np.sqrt(4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2))
    p = 2 * stats.norm.sf(abs(ratio - 2) / deviation)
    return {"name": name, "values": np.asarray(values).tolist(), "correlation": float(1 - ratio / 2),
            "clear": bool(p < 0.01)}


def series(rng, n, rho):
    noise = rng.normal(0, 1, n)
    for at in range(1, n):
        noise[at] += rho * noise[at - 1]
    return noise


def difference(name, rng, n, shift, noise, epoch_noise, balanced=False, lasts=0.0):
    """Nanoseconds per select of base less those of test, five rounds an epoch.

    balanced: noise sums to 0 in each epoch. lasts: the noise of a round has so much of that of the one before.
    """
    epochs = np.arange(n) // 5
    own = rng.normal(0, epoch_noise, epochs.max() + 1)[epochs]
    elapsed = rng.normal(100e6, 1e6, (2, n)).round()
    rounds = rng.normal(0, noise, (2, n))
    if balanced:
        rounds -= rounds.reshape(2, -1, 5).mean(axis=2).repeat(5, axis=1)
    for at in range(1, n):
        rounds[:, at] += lasts * rounds[:, at - 1]
    cost = np.array([[5000.0 + shift], [5000.0]]) + np.array([own, 0 * own]) + rounds
    selects = (elapsed / cost).round()
    values = elapsed[0] / selects[0] - elapsed[1] / selects[1]
    walsh = [(values[i] + values[j]) / 2 for i in range(n) for j in range(i, n)]
    center = float(np.median(walsh))
    rounds = wilcoxon_interval(values, "exact" if n < 15 else "asymptotic")
    by_epoch = epoch_t(values, epochs, rounds)
    wider = max(rounds, by_epoch, key=lambda ends: ends[1] - ends[0])
    return {"name": name, "base": np.vstack([selects[0], elapsed[0]]).T.tolist(),
            "test": np.vstack([selects[1], elapsed[1]]).T.tolist(), "epochs": epochs.tolist(),
            "estimate": center, "source": "wilcoxon" if wider is rounds else "epoch-t",
            "interval": wider}


def spread(name, values):
    values = np.asarray(values)
    n = len(values)
    # scipy has no t of no width
    known = n > 1 and values.std() > 0
    t = stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values)) if known else [values.mean()] * 2
    return {"name": name, "values": values.tolist(), "mean": float(values.mean()), "median": float(np.median(values)),
            "sd": float(values.std(ddof=1)) if n > 1 else None, "cv": float(stats.variation(values, ddof=1)) if n > 1 else None,
            "interval": [float(t[0]), float(t[1])] if n > 1 else None, "min": float(values.min()), "max": float(values.max())}


def ratio_apart(name, test, base):
    found = stats.ttest_ind(np.log(test), np.log(base), equal_var=False).confidence_interval(0.95)
    center = np.log(test).mean() - np.log(base).mean()
    return {"name": name, "test": list(test), "base": list(base), "ratio": float(np.exp(center)),
            "interval": [float(np.exp(found.low)), float(np.exp(found.high))]}


def main():
    rng = np.random.default_rng(20121108)
    cases = [
        location("two", [0.1, 0.4]),
        location("five", rng.normal(0.2, 0.05, 5)),
        location("six", rng.normal(0.2, 0.05, 6)),
        location("ten", rng.normal(-1, 0.3, 10)),
        location("fourteen", rng.normal(3, 1, 14)),
        location("fifteen", rng.normal(0, 1, 15)),
        location("thirty", rng.normal(0.25, 0.03, 30)),
        location("sixty, skewed", rng.exponential(0.1, 60)),
        location("hundred and twenty", rng.normal(1.6, 0.08, 120)),
        location("forty, tied", np.round(rng.normal(0.5, 0.02, 40), 2) + 1 / 3),
    ]
    pairs = [
        totals("independent", rng, 30, 0.03, 0.0),
        totals("shared noise", rng, 40, 0.01, 0.1),
        totals("three", rng, 3, 0.05, 0.05),
    ]
    quantiles = [[n, float(stats.t.ppf(0.975, n - 1))] for n in (2, 3, 6, 8, 30, 1000)]
    own = np.random.default_rng(20261130)
    differences = [
        difference("alike", own, 30, 0, 60, 0, balanced=True),
        difference("a small step, rounds agree within an epoch", own, 20, 80, 20, 150),
        difference("a step down, noisy rounds", own, 30, -400, 200, 0),
        difference("exact", own, 10, 1000, 30, 0),
        difference("two epochs", own, 10, 300, 30, 20),
        difference("sixty rounds, backends that differ", own, 60, 500, 40, 100),
        # of its own seed, so that the other cases stay as they are
        difference("noise that lasts for epochs", np.random.default_rng(20261202), 117, 500, 40, 30, lasts=0.97),
    ]
    own = np.random.default_rng(20261201)
    lags = [
        lag1("independent", series(own, 40, 0)),
        lag1("dependent", series(own, 60, 0.7)),
        lag1("alternating", series(own, 30, -0.8)),
        lag1("tied", np.round(series(own, 50, 0.3))),
    ]
    repeats = np.random.default_rng(20261201)
    spreads = [
        spread("one", [71234.5]),
        spread("two", [71234.5, 70001.25]),
        spread("three", repeats.normal(58165, 900, 3)),
        spread("ten", repeats.normal(1200, 300, 10)),
        spread("equal", [5.0, 5.0, 5.0, 5.0]),
    ]
    apart = [
        ratio_apart("two and two", repeats.normal(100, 3, 2), repeats.normal(90, 1, 2)),
        ratio_apart("three and ten", repeats.normal(58165, 900, 3), repeats.normal(19646, 2000, 10)),
        ratio_apart("twenty and five", repeats.normal(1.0, 0.2, 20), repeats.normal(1.0, 0.01, 5)),
    ]
    out = {"made_with": f"scipy {scipy.__version__}, numpy {np.__version__}",
           "location": cases, "totals": pairs, "differences": differences, "lags": lags,
           "spreads": spreads, "apart": apart, "t_quantiles": quantiles}
    path = pathlib.Path(__file__).with_name("statistics.json")
    path.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
