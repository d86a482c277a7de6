"""Pictures of simulations and results, with matplotlib."""
