"""Results: what a fit has learned."""
