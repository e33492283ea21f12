"""Results: what a fit has learned.

A `Posterior` is made in layers, each of which adds methods to the one before:

| class | file | what it adds |
|---|---|---|
| `Fitted` | fitted.py | model, annotations, draws and diagnostics |
| `FitPresence` | fit_presence.py | probabilities of presence, decisions |
| `FitBirds` | findings/fit_birds.py | single birds: how audible, how deceptive, which are known |
| `FitReports` | listening/fit_reports.py | what a listener would report |
| `FitMachines` | listening/fit_machines.py | what scores of machines are worth |
| `FitTables` | fit_tables.py | tables of annotators, species, recordings, communities |
| `Posterior` | posterior.py | new recordings, measures of fit, the ArviZ tree, saving and loading |
"""
