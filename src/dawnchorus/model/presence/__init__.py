"""Presence: where both sides of a model meet. Drawn from their odds and ratios, sparsely and exactly."""
