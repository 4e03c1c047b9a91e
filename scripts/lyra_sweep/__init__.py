# SPDX-License-Identifier: Apache-2.0
"""Sweeps of machine parameters over jobs: specification, points, engines, metrics, report."""
