"""What the process imports that turns into workers of a cluster: all that workers import, and kernels."""

from ready import load_kernels

load_kernels()
