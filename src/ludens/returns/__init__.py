"""Targets, replay and schedules: the arithmetic learners share."""
