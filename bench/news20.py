"""news20.py DIRECTORY OUT: word counts of 20 Newsgroups as svmlight.

log(1 + count), the 64 largest words of a post (ties: the lower column), rows
of length 1; empty posts are kept. Needs NumPy."""
import sys

import numpy

SPARSITY = 64


def main():
    directory, out = sys.argv[1:3]
    counts, columns, starts = (
        numpy.load("%s/news20_%s.npy" % (directory, part))
        for part in ("data", "indices", "indptr"))
    values = numpy.log1p(counts.astype(float))
    with open(out, "w", encoding="ascii") as f:
        for first, last in zip(starts[:-1], starts[1:]):
            column, value = columns[first:last], values[first:last]
            kept = numpy.sort(numpy.lexsort((column, -value))[:SPARSITY])
            column, value = column[kept], value[kept]
            length = numpy.sqrt((value ** 2).sum())
            f.write("0" + "".join(" %d:%.6g" % (c + 1, v / length)
                                  for c, v in zip(column, value)) + "\n")


main()
