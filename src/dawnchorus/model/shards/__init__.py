"""Shards: one chain whose data lie in several places, none of which has all of them.

Given odds and rates, recordings are independent of each other, so presence is drawn where recordings are. A
*shard* is a group of consecutive blocks (presence/blocks.py). A sweep sends it a key, the odds of species and
all rates, and it answers with whole numbers: of each species, the recordings with it; of each rate, the votes
on present cells. Their sums over shards are those of the whole data, and every block has the stream of random
numbers of its place in all data. So the draws are the same to the bit, whatever the number of shards.

Occurrence and expertise are drawn in one place, from these counts. Some steps there look at single cells.
The occurrence of rare species is moved with presence in their few reported cells summed out
(occurrence/rare_species.py). These cells, at most `RARE` for each species, are listed in that place too, with
their votes, in the order of recordings; shards say which of them are present.

Rates that differ by species are moved with presence in all reported cells summed out (expertise/summed_out).
Then all of these are listed there, and what is averaged over sweeps is averaged there as well. Shards need
the lists of all annotators, whoever visits their recordings, since draws of silent cells depend on them.
"""
